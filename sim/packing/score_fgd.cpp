#include <algorithm>
#include <array>

#include "sim/packing/policy.hpp"

namespace fleetsim {
namespace {

/// ln(k / (100 - k)) for k = 51 .. 99, in units of 1e-9, rounded up: where 100 x sigmoid(x) reaches k, told
/// apart to that unit. As constants, so that no library's exp decides.
constexpr std::array<std::int64_t, 49> kReaches{
    40'005'335,    80'042'708,    120'144'312,   160'342'651,   200'670'696,   241'162'057,   281'851'153,
    322'773'393,   363'965'378,   405'465'109,   447'312'219,   489'548'226,   532'216'814,   575'364'145,
    619'039'209,   663'294'218,   708'185'058,   753'771'803,   800'119'301,   847'297'861,   895'384'048,
    944'461'609,   994'622'576,   1'045'968'556, 1'098'612'289, 1'152'679'510, 1'208'311'206, 1'265'666'374,
    1'324'925'415, 1'386'294'362, 1'450'010'176, 1'516'347'490, 1'585'627'264, 1'658'228'077, 1'734'601'056,
    1'815'289'967, 1'900'958'762, 1'992'430'165, 2'090'741'097, 2'197'224'578, 2'313'634'930, 2'442'347'036,
    2'586'689'345, 2'751'535'314, 2'944'438'980, 3'178'053'831, 3'476'098'690, 3'891'820'299, 4'595'119'851,
};

/// 100 x sigmoid of the fall in fragmentation in devices, rounded down.
int score_of_fall(std::int64_t before, std::int64_t after, std::int64_t weight) {
  constexpr std::int64_t kUnitsPerMilli = 1'000'000;
  const std::int64_t fall = before - after;
  const std::int64_t size = (fall < 0 ? -fall : fall) * kUnitsPerMilli / std::max<std::int64_t>(weight, 1);
  const auto passed =
      static_cast<int>(std::upper_bound(kReaches.begin(), kReaches.end(), size) - kReaches.begin());
  return fall < 0 ? 49 - passed : 50 + passed;
}

struct Choice {
  int score = -1;
  std::size_t card = 0;
};

/// The best score of a share on any card, and the first card that has it.
Choice best_share(const Candidate& candidate) {
  const auto& [room, fragmentation, shape, node] = candidate;
  const auto cards = room.free_cards(node);
  const FreeLevels now{cards};
  const DeviceTypes type = room.spec(node).type;
  const std::int64_t cpu = room.free_cpu(node);
  const std::int64_t before = fragmentation.of(now, cpu, type);
  Choice best;
  for (std::size_t card = 0; card < cards.size(); ++card) {
    const std::uint16_t free = cards[card];
    if (free < shape.milli_per_card) continue;
    if (std::find(cards.begin(), cards.begin() + card, free) != cards.begin() + card) continue;
    const std::int64_t after =
        fragmentation.of(now.less(free, shape.milli_per_card), cpu - shape.cpu_milli, type);
    const int score = score_of_fall(before, after, fragmentation.weight());
    if (score > best.score) best = {score, card};
  }
  return best;
}

}  // namespace

int score_fgd(const Candidate& candidate) {
  const auto& [room, fragmentation, shape, node] = candidate;
  if (shape.is_share()) return best_share(candidate).score;
  const FreeLevels now{room.free_cards(node)};
  const DeviceTypes type = room.spec(node).type;
  const std::int64_t cpu = room.free_cpu(node);
  return score_of_fall(fragmentation.of(now, cpu, type),
                       fragmentation.of(now.without_first(shape.cards), cpu - shape.cpu_milli, type),
                       fragmentation.weight());
}

CardMask fgd_card(const Candidate& candidate, RandomStream&) {
  if (!candidate.shape.is_share()) return whole_cards(candidate);
  return CardMask{1} << best_share(candidate).card;
}

}  // namespace fleetsim
