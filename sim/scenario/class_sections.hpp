#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/transformer/recommender.hpp"
#include "models/transformer/transformer.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

// The parts of one class of jobs. Each fills its fields of `job` from those that earlier ones have filled.

/// What a part may refer to outside its class.
struct ClassContext {
  const Scenario& scenario;
  std::optional<Transformer> model;
  std::optional<Recommender> recommender;  ///< the model of the class, where it is no transformer
  std::vector<std::string>& notes;
  bool names_model = false;  ///< known or not

  /// The pool the job would rather have; nothing when pools are wrong.
  const PoolSpec* first_pool(const JobClass& job) const;
};

/// `gang` and `layout`.
void read_gang(const Reader& in, JobClass& job);
/// Devices of one job; nothing when jobs of the class differ.
std::optional<Capacity> gang_capacity(const JobClass& job);
/// A number of whole devices out of a name; nothing if it is none.
std::optional<std::uint32_t> devices_of(const std::string& text);
/// The mean over the sizes of a class, in devices; the size itself where there is one.
double mean_devices(const GangSpec& gang);

/// The one kind of nodes and of fabric that all pools of the class have; nothing where that is reported, as a
/// problem of `model` in `in`.
const PoolSpec* modelled_pool(const Reader& in, const ClassContext& context, const JobClass& job);
/// `step` where it is a model: its time, split and tokens; the gang is read before.
void read_step_model(const Reader& in, const ClassContext& context, JobClass& job);
/// `step`, `input_stall`, `input`.
void read_step(const Reader& in, JobClass& job);
/// Wait of a step that takes `time`, by the class's `input_stall` or `input`.
Duration wait_of_step(const JobClass& job, Duration time);
/// `program_goodput`, `step.parts`, `step.ideal`, and the model's arithmetic.
void read_program(const Reader& in, const ClassContext& context, JobClass& job);
/// `step.compile`, on a step whose time and split are known.
void read_compile(const Reader& in, JobClass& job);
/// A step of a model at another size of the gang.
StepProfile profile_at(const JobClass& job, std::uint32_t devices);
/// `steps`, `tokens`, `duration`, `device_time`.
void read_work(const Reader& in, JobClass& job);

/// `checkpoint`, its interval resolved; `evictions` are read before.
void read_checkpoint(const Reader& in, const ClassContext& context, JobClass& job);
/// Notes when failures come sooner than the job can come back.
void check_recovery(const ClassContext& context, const JobClass& job);
/// Failures per time that interrupt a gang of this class, in the long run.
PerSecond gang_failure_rate(const PoolSpec& pool, const GangSpec& gang);
/// Evictions per time.
PerSecond eviction_rate(const EvictionSpec& evictions);

/// `startup`, `recovery`, `preemption`, `reconfiguration`; the checkpoint is read before.
void read_launches(const Reader& in, JobClass& job);
/// `elastic`; gang, step and input are read before.
void read_elastic(const Reader& in, const ClassContext& context, JobClass& job);
/// `service.decode` where it is a model: what a step takes, and where that goes while the replica is busy.
void read_decode_model(const Reader& decode, const ClassContext& context, JobClass& job);
/// `service`; gang, launches and program_goodput are read before.
void read_service(const Reader& in, const ClassContext& context, JobClass& job);
/// `stragglers`; step and checkpoint are read before. Notes where slowness would pass the class by.
void read_swap(const Reader& in, const ClassContext& context, JobClass& job);
/// `evictions`.
void read_evictions(const Reader& in, JobClass& job);
/// The keys that say what an eviction costs, in `evictions` and in `scheduler.preemption`.
void read_eviction_terms(const Reader& in, EvictionTerms& terms);

}  // namespace fleetsim
