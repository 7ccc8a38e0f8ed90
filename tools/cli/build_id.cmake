# Writes OUT, unless it says so already: the revision of the sources in DIR.
execute_process(COMMAND git -C ${DIR} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE id ERROR_QUIET
                OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed OR NOT id)
  set(id unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#include "tools/cli/build_id.hpp"

namespace fleetsim {
std::string_view build_id() { return "@id@"; }
}  // namespace fleetsim
]] @ONLY)
