#include "sim/scheduler/parts.hpp"

#include <array>

namespace fleetsim {
namespace {

constexpr std::string_view kUsage = "common usage";
constexpr std::string_view kNone = "none";

constexpr std::array kParts{
    SchedulerPart{"strict", "true", "a job that cannot start keeps those behind it from starting", kUsage,
                  "a pass ends at the first job that cannot start"},
    SchedulerPart{"strict", "false", "whoever fits starts, past those who do not: large gangs may starve",
                  "Kueue's BestEffortFIFO", "a pass looks at the whole queue until nothing is free"},
    SchedulerPart{"admission", "atomic", "all of a gang at once, or nothing",
                  "gang scheduling: Ousterhout, ICDCS 1982; Kueue, Volcano's gang plugin", kNone},
    SchedulerPart{
        "admission", "partial-hold",
        "nodes are held from when they are free until the gang is complete, idle meanwhile; so many gangs at "
        "once as \"holders\" says, and no longer than \"hold_timeout\"",
        "kube-scheduler without a gang plugin, which binds one pod after the other",
        "a look at the gangs that assemble whenever something becomes free"},
    SchedulerPart{"estimates", "limit", "backfill takes a job to run to its time limit",
                  "Lifka, JSSPP 1995; Slurm", kNone},
    SchedulerPart{"estimates", "exact", "backfill knows how long jobs run, times \"estimate_factor\"",
                  "Tsafrir et al., IEEE TPDS 2007, on what wrong estimates do", kNone},
    SchedulerPart{"preemption", "none", "running jobs are left alone", kUsage, kNone},
    SchedulerPart{"preemption.placements", "kept", "jobs are stopped one by one, as few as make room", kUsage,
                  "a look at the running jobs of a pool, where stopping could help"},
    SchedulerPart{
        "preemption.placements", "remade",
        "at each event all placements are made anew in order; who is not placed, or elsewhere, is stopped",
        "Gu et al. (Tiresias), NSDI 2019, and its simulator", "a walk over all jobs at each event"},
    SchedulerPart{"preemption.by", "order", "whoever stands before it in the order may stop a job",
                  "Gu et al. (Tiresias), NSDI 2019", kNone},
    SchedulerPart{"preemption.by", "priority", "whoever has a larger priority may stop a job",
                  "kube-scheduler, Slurm's preempt/partition_prio and preempt/qos", kNone},
    SchedulerPart{"preemption.by", "nobody", "only what is reclaimed is stopped", kUsage, kNone},
    SchedulerPart{"preemption", "reclaim", "a queue stops those who borrow what it is guaranteed",
                  "Kueue's reclaimWithinCohort, YARN's capacity scheduler, KAI",
                  "a look at the running jobs of its cohorts, where stopping could help"},
    SchedulerPart{"preemption", "job_budget", "evictions of one job within any interval", "this project",
                  "a look at those of the last interval"},
    SchedulerPart{"preemption", "pool_budget",
                  "evictions in one pool within any interval: 0, a number or \"unlimited\"", "this project",
                  "a look at those of the last interval"},
    SchedulerPart{"preemption", "min_runtime", "nobody is stopped before it has run so long",
                  "Slurm's PreemptExemptTime", kNone},
    SchedulerPart{"preemption", "grace", "a job that is stopped saves first, if \"save\" fits in this",
                  "Kubernetes' terminationGracePeriodSeconds, Slurm's GraceTime", "an event"},
    SchedulerPart{"preemption.requeue", "submit", "who was stopped goes back to its old place of the queue",
                  "Kueue and Volcano, which order by creation", kNone},
    SchedulerPart{"preemption.requeue", "behind", "who was stopped stands behind those that are queued",
                  "Slurm's requeue, which counts from the new eligible time", kNone},
    SchedulerPart{
        "preemption", "requeue_delay",
        "who was stopped is away for so long, times \"requeue_backoff\" for every time after the first",
        "Kueue's requeuing backoff", "an event"},
    SchedulerPart{"quotas", "limit", "devices that the jobs of a quota never exceed",
                  "ResourceQuota of Kubernetes, Slurm's GrpTRES", "O(1) a job"},
    SchedulerPart{"quotas", "guarantee",
                  "devices that a queue has whenever it wants them; what it does not use its cohort may "
                  "borrow, as far as "
                  "\"lend\" says",
                  "Kueue's nominalQuota and lendingLimit; YARN's capacity scheduler",
                  "O(depth of the cohorts) a job"},
    SchedulerPart{"cohorts", "parent",
                  "queues that lend to each other, in a tree; each with a limit of its own",
                  "Kueue's hierarchical cohorts", "O(depth of the cohorts) a job"},
    SchedulerPart{"topology", "required", "a gang waits until it fits in one node, rack, pod or spine",
                  "Kueue's topology aware scheduling", "O(log domains) a placement"},
    SchedulerPart{"topology", "preferred",
                  "a gang takes one such place where there is one, and after \"wait\" in the queue any",
                  "Kueue's topology aware scheduling; Slurm's --switches=COUNT@MAX-TIME",
                  "O(log domains) a placement"},
};

}  // namespace

std::span<const SchedulerPart> scheduler_parts() { return kParts; }

}  // namespace fleetsim
