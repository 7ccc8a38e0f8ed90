# Sourced by the commands of this folder's parent: installs what is missing, configures and builds.
# Uses: BUILD (build folder, default build/release).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
BUILD=${BUILD:-build/release}

# Every package of packages.txt that this machine lacks, installed with apt where that is allowed.
install_missing() {
  command -v dpkg-query >/dev/null || { echo "not a Debian system: install what tools/setup/packages.txt lists, then run again" >&2; return; }
  local missing=()
  while read -r package; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done <tools/setup/packages.txt
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo)
    else
      echo "these packages are missing, and only root may install them:" >&2
      echo "  sudo apt-get install ${missing[*]}" >&2
      exit 1
    fi
  fi
  echo "installing: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Builds the named targets (all of them when none is named); prints the log only if it fails.
build() {
  mkdir -p "$BUILD"
  local log=$BUILD/build.log
  echo "building in $BUILD (a few minutes the first time)"
  local targets=()
  [ $# -gt 0 ] && targets=(--target "$@")
  if ! { cmake -S . -B "$BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release && cmake --build "$BUILD" "${targets[@]}"; } >"$log" 2>&1; then
    tail -40 "$log" >&2
    echo "the build failed; all of its output is in $log" >&2
    exit 1
  fi
}
