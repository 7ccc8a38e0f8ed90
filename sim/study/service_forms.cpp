#include "sim/study/service_forms.hpp"

#include "sim/scenario/class_sections.hpp"

namespace fleetsim {
namespace {

/// Held time of one life, and what of it the replica is not ready.
struct Life {
  Seconds held, startup, drain;
};

std::optional<Life> life_of(const ServiceSpec& service, const LaunchSpec& startup) {
  Life life{Seconds{0}, to_seconds(startup.total()), Seconds{service.drain.mean()}};
  if (service.ready) {
    life.held = life.startup + Seconds{service.ready->mean()} + life.drain;
  } else if (service.life && service.life->is_fixed() && service.drain.is_fixed()) {
    life.held = Seconds{service.life->mean()};
    if (life.held < life.startup + life.drain) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return life;
}

/// Share of held time that goes into coming back after failures, to first order.
double lost_to_failures(const PoolSpec& pool, const JobClass& job_class) {
  const RecoverySpec& recovery = job_class.recovery;
  double lost = 0;
  for (const FaultRow& row : pool.faults) {
    PoolSpec one_row = pool;
    one_row.faults = {row};
    const Duration stopped =
        row.detect.value_or(recovery.detect) + recovery.replace + recovery.relaunch.total();
    lost += gang_failure_rate(one_row, job_class.gang) * to_seconds(stopped);
  }
  return lost;
}

}  // namespace

ClosedForms service_forms(const Scenario& scenario, const JobClass& job_class) {
  ClosedForms forms;
  const std::string service = "services." + job_class.name + ".";
  const ServiceSpec& spec = job_class.service;
  if (job_class.program_goodput && spec.warm == 0)
    forms[service + "program_goodput"] = {*job_class.program_goodput, "as given"};
  if (spec.mbu && spec.warm == 0) forms[service + "mbu"] = {*spec.mbu * spec.busy, "as given"};
  const bool disturbed = spec.warm > 0 || job_class.evictions.rate || job_class.evictions.every ||
                         !job_class.evictions.at.empty() || job_class.end || job_class.pools.size() != 1 ||
                         scenario.scheduler.preemption != Preemption::none || !scenario.script.empty() ||
                         !scenario.pools[job_class.pools.front()].drains.empty();
  const std::optional<Life> life = life_of(spec, job_class.startup);
  if (disturbed || !life || !(life->held > Seconds{0})) return forms;
  const PoolSpec& pool = scenario.pools[job_class.pools.front()];
  const double failures = lost_to_failures(pool, job_class);
  const std::string kind = failures > 0 ? "first order, over one life" : "over one life";
  const double startup = life->startup / life->held, drain = life->drain / life->held;
  if (!(startup + drain + failures < 1)) return forms;
  forms[service + "runtime_goodput"] = {1 - startup - drain - failures, kind};
  forms[service + "startup"] = {startup, kind};
  forms[service + "drain"] = {drain, kind};
  if (failures > 0) forms[service + "recovery"] = {failures, kind};
  return forms;
}

}  // namespace fleetsim
