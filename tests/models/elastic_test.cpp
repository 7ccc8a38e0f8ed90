#include "models/goodput/elastic.hpp"

#include <doctest/doctest.h>

#include "tests/models/near.hpp"

using namespace fleetsim;

TEST_CASE("elastic training: a day, four hours until there is more, ten minutes to rescale") {
  // ch. 9, section 9.9.1: 1.0, 1.8 and 3.2 epochs an hour on 128, 256 and 512 GPUs.
  const ElasticChoice day{.window = kOneDay, .wait = 4 * kOneHour, .pause = 10 * kOneMinute};
  const PerSecond small = 1.0 / kOneHour, medium = 1.8 / kOneHour, large = 3.2 / kOneHour;
  CHECK(work_if_immediate(day, small) == near(24.0));
  CHECK(work_if_waiting(day, large) == near(64.0));
  CHECK(work_if_stepping_up(day, small, medium) == near(39.699999999999996));
  CHECK(work_if_stepping_up(day, small, medium) / work_if_immediate(day, small) == near(1.6541666666666666));
  CHECK(1 - work_if_stepping_up(day, small, medium) / work_if_waiting(day, large) ==
        near(0.37968750000000007));
  const Seconds pause = break_even_pause(day, small, medium);
  CHECK(pause / kOneHour == near(8.88888888888889));
  ElasticChoice even = day;
  even.pause = pause;
  CHECK(work_if_stepping_up(even, small, medium) == near(work_if_immediate(even, small)));
}
