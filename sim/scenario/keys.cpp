#include "sim/scenario/keys.hpp"

#include <algorithm>

namespace fleetsim {
namespace {

// clang-format off
constexpr KeyInfo kKeys[] = {
  {"scenario", "$schema", "text", "", "where editors find the JSON Schema; not read"},
  {"scenario", "name", "text", "", "title of every report"},
  {"scenario", "about", "text", "", "what is asked, in a sentence or two"},
  {"scenario", "extends", "text", "", "file this one is a JSON merge patch over, relative to this one"},
  {"scenario", "gate", "text", "", "quality gate the workload is assumed to meet"},
  {"scenario", "fleet", "fleet", "required", "the machines"},
  {"scenario", "faults", "faults", "", "what breaks, in every pool that has no faults of its own"},
  {"scenario", "workload", "map class", "", "classes of jobs, by name"},
  {"scenario", "scheduler", "scheduler", "", "how jobs are served"},
  {"scenario", "window", "window", "required", "what part of the run is counted"},
  {"scenario", "runs", "runs", "", "replications and seed"},
  {"scenario", "alternatives", "map patch", "", "JSON merge patches over this scenario, compared with it"},
  {"scenario", "sweep", "map values", "", "JSON pointers, each with the values to try; several make a grid"},
  {"scenario", "assume", "map number", "", "figures taken as given in closed forms; simulation does not read them"},
  {"scenario", "expect", "list expectation", "", "figures that `run --check` compares with"},

  {"fleet", "pools", "map pool", "required", "pools of like nodes, by name"},

  {"pool", "node", "text", "", "node of the catalog; gives device, devices_per_node and peak"},
  {"pool", "device", "text", "", "accelerator, of the catalog or any name; jobs may accept it by that name"},
  {"pool", "devices_per_node", "per_node", "", "devices of one node; required without `node`"},
  {"pool", "peak", "flop_rate", "", "dense arithmetic peak of one device, the named ideal; from the catalog if it is known there"},
  {"pool", "memory_bandwidth", "byte_rate", "", "peak memory bandwidth of one device; from the catalog if it is known there"},
  {"pool", "nodes", "node_list", "required", "number of nodes, or nodes that differ"},
  {"pool", "cpus_per_node", "positive", "", "CPUs of one node, for jobs that ask for some; from the catalog if it is known there"},
  {"pool", "memory_per_node", "bytes", "", "memory of one node, for jobs that ask for some; from the catalog if it is known there"},
  {"pool", "fabric", "text", "", "network between the nodes, of the catalog; a predicted step (`model`: true) takes its exchange from it, and its leaves and pods are racks and pods; steps that are given it moves only where gangs share links (`contention`, off unless asked for). Not modelled: storage and input traffic, congestion beyond fair shares, routing"},
  {"pool", "contention", "flag", "false", "gangs that meet on links of the fabric slow each other's exchange, by max-min fair shares; takes a look at the gangs at every change"},
  {"pool", "nodes_per_rack", "count", "", "nodes of one rack; without it and `racks` the pool is one rack"},
  {"pool", "racks", "list whole", "", "rack of each node, instead of nodes_per_rack"},
  {"pool", "nodes_per_pod", "count", "", "nodes of one pod, whole racks; without it and `pods` the pool is one pod, or the fabric's"},
  {"pool", "pods", "list whole", "", "pod of each node, instead of nodes_per_pod"},
  {"pool", "nodes_per_spine", "count", "", "nodes below one spine, whole pods; without it and `spines` the pool is one"},
  {"pool", "spines", "list whole", "", "spine above each node, instead of nodes_per_spine"},
  {"pool", "price", "price", "", "price of one in-service device"},
  {"pool", "spares", "whole", "0", "nodes kept from the queue for recovery, the last ones"},
  {"pool", "teardown", "duration", "0 s", "transition after every release, of parts of a device as well"},
  {"pool", "faults", "faults", "", "what breaks in this pool, instead of the top-level faults"},
  {"pool", "drains", "list drain", "", "nodes taken out of service by plan"},
  {"pool", "installed", "list dated_nodes", "", "nodes that are installed for part of the time"},
  {"pool", "fragmentation", "flag", "false", "measures what of the free capacity jobs could not use; takes a look at the pool at every change"},
  {"pool", "fragmentation_every", "duration>0", "", "goes with `fragmentation`: `--out` writes fragmentation.csv, a row so often, at most a million"},

  {"node_list", "groups", "list node_group", "", "groups of like nodes, in the order of the nodes"},
  {"node_list", "format", "openb", "", "format of a file of nodes, instead of groups"},
  {"node_list", "file", "text", "", "path beside the scenario, or in a folder of traces"},
  {"node_list", "order", "listed|shuffled", "listed", "which of equal nodes comes first: as listed, or anew in random order in each replication"},
  {"node_list", "about", "text", "", "which public data set it is"},
  {"node_list", "source", "text", "", "where the data set is to be had"},

  {"node_group", "count", "count", "1", "nodes of the group"},
  {"node_group", "devices", "whole", "required", "devices of one node"},
  {"node_group", "device", "text", "", "their model; jobs may accept it by that name"},
  {"node_group", "cpus", "positive", "", "CPUs of one node"},
  {"node_group", "memory", "bytes", "", "memory of one node"},

  {"drain", "at", "duration", "required", "instant, from the start of the run"},
  {"drain", "for", "duration>0", "", "after so long they are back in service; without it and `until` they do not come back"},
  {"drain", "until", "duration", "", "instant at which they are back in service, instead of `for`"},
  {"drain", "every", "duration>0", "", "and again so long after each time"},
  {"drain", "nodes", "list whole", "", "which nodes, by index; default all of the pool"},
  {"drain", "last", "count", "", "the last so many nodes, instead of `nodes`"},
  {"drain", "rack", "whole", "", "the nodes of one rack, instead of `nodes`"},
  {"drain", "mode", "now|at_commit|when_released", "now", "gangs on these nodes are stopped at once, stopped at their next commit, or left to end"},

  {"dated_nodes", "from", "duration", "0 s", "instant at which they are installed"},
  {"dated_nodes", "until", "duration", "", "instant at which they are taken away, whatever runs on them; default never"},
  {"dated_nodes", "nodes", "list whole", "", "which nodes, by index; default all of the pool"},
  {"dated_nodes", "last", "count", "", "the last so many nodes, instead of `nodes`"},
  {"dated_nodes", "rack", "whole", "", "the nodes of one rack, instead of `nodes`"},

  {"faults", "components", "components", "", "\"textbook\", or rows of failures by name"},
  {"faults", "takes_out", "nothing|device|node|rack", "node", "what a failure takes out of service, where a row says nothing"},
  {"faults", "detect", "duration", "", "time until a failure is noticed, where a row says nothing; default is the job's own"},
  {"faults", "repair", "distribution", "0 s", "time from detection until back in service, where a row says nothing"},
  {"faults", "lemons", "lemons", "", "entities that fail more often, where a row says nothing"},
  {"faults", "incidents", "list incident", "", "failures at given instants"},
  {"faults", "slow", "map slow_row", "", "what slows the steps of gangs for a time, or from the start, by name"},
  {"faults", "episodes", "list slow_episode", "", "slowness at given instants"},

  {"slow_row", "hits", "device|node|rack", "device", "what is slow: each of these on its own"},
  {"slow_row", "cause", "straggler|noisy_neighbour", "straggler", "a member all others of its gang wait for; or traffic of others, which slows gangs of several nodes"},
  {"slow_row", "share", "share", "0", "share of the entities that are slow from the start"},
  {"slow_row", "rate", "rate", "", "episodes of one entity per time, Poisson"},
  {"slow_row", "length", "distribution", "", "how long one lasts; default until the node is repaired"},
  {"slow_row", "speed", "speed", "required", "speed of the entity, of 1; of two each episode has one between them"},
  {"slow_row", "repair", "distribution", "0 s", "time out of service of a node that a gang has swapped for another; as good as new then"},

  {"slow_episode", "at", "duration", "required", "instant, from the start of the run"},
  {"slow_episode", "for", "duration>0", "", "how long it lasts; without it and `until`, until the node is repaired"},
  {"slow_episode", "until", "duration", "", "instant at which it ends, instead of `for`"},
  {"slow_episode", "pool", "text", "", "pool it strikes; the only one if there is one"},
  {"slow_episode", "node", "whole", "0", "index of the node"},
  {"slow_episode", "device", "whole", "0", "index of the device in its node"},
  {"slow_episode", "hits", "device|node|rack", "device", "what is slow"},
  {"slow_episode", "cause", "straggler|noisy_neighbour", "straggler", "a member all others of its gang wait for; or traffic of others, which slows gangs of several nodes"},
  {"slow_episode", "speed", "speed", "required", "speed of the entity, of 1"},
  {"slow_episode", "repair", "duration", "0 s", "time out of service of a node that a gang has swapped for another"},

  {"component", "hits", "device|node|rack", "device", "what breaks: each of these on its own"},
  {"component", "takes_out", "nothing|device|node|rack", "", "what a failure takes out of service"},
  {"component", "mttf", "mttf", "", "mean time to failure of one entity, exponential; \"inf\" for never"},
  {"component", "rate", "rate", "", "failures of one entity per time, exponential"},
  {"component", "lifetime", "distribution", "", "time in service until one entity fails"},
  {"component", "detect", "duration", "", "time until it is noticed"},
  {"component", "repair", "distribution", "", "time from detection until back in service"},
  {"component", "lemons", "lemons", "", "entities that fail more often"},

  {"distribution", "exponential", "duration>0", "", "its mean"},
  {"distribution", "weibull", "weibull", "", "a hazard that falls (shape below 1) or rises with age"},
  {"distribution", "lognormal", "lognormal", "", "times whose logarithm is normal"},
  {"distribution", "uniform", "list duration", "", "[low, high]"},
  {"distribution", "empirical", "list duration", "", "any of these, with equal chance"},
  {"distribution", "choice", "map weight", "", "times, each with its weight"},

  {"weibull", "mean", "duration>0", "", "mean, or ..."},
  {"weibull", "scale", "duration>0", "", "... scale"},
  {"weibull", "shape", "positive", "required", "shape"},

  {"lognormal", "median", "duration>0", "required", "median"},
  {"lognormal", "sigma", "spread", "required", "standard deviation of the logarithm"},

  {"lemons", "share", "share", "required", "share of the entities that are lemons"},
  {"lemons", "factor", "factor", "required", "how many times faster a lemon's life runs"},

  {"incident", "at", "duration", "required", "instant, from the start of the run"},
  {"incident", "pool", "text", "", "pool it strikes; the only one if there is one"},
  {"incident", "node", "whole", "0", "index of the node"},
  {"incident", "device", "whole", "0", "index of the device in its node"},
  {"incident", "hits", "device|node|rack", "device", "what breaks"},
  {"incident", "takes_out", "nothing|device|node|rack", "", "what it takes out of service"},
  {"incident", "detect", "duration", "", "time until it is noticed; default is the job's own"},
  {"incident", "repair", "duration", "0 s", "time from detection until back in service"},

  {"class", "kind", "training|reservation|service", "training", "work that steps, an allocation that does nothing, or replicas that serve"},
  {"class", "accepts", "accepts", "", "pools, device types, or models of listed nodes, in order of preference; default every pool"},
  {"class", "model", "text", "", "transformer or recommender of the catalog; gives checkpoint size and model FLOPs"},
  {"class", "layout", "layout", "", "degrees of parallelism; their product is the gang"},
  {"class", "submit", "duration", "0 s", "instant at which the one job arrives"},
  {"class", "arrivals", "arrivals", "", "a stream of jobs"},
  {"class", "jobs", "list listed_job", "", "jobs one by one"},
  {"class", "trace", "trace", "", "jobs out of a trace file"},
  {"class", "gang", "gang", "", "devices of a job, all or nothing: a number, a choice, a shape, a part of a device or unlike members"},
  {"class", "cpus", "positive", "", "CPUs of each node of a gang"},
  {"class", "memory", "bytes", "", "memory of each node of a gang"},
  {"class", "steps", "count", "", "work as a number of steps"},
  {"class", "epoch", "count", "", "steps of an epoch; gives the figure jobs.CLASS.epochs"},
  {"class", "tokens", "positive", "", "work as a number of tokens; needs step.tokens"},
  {"class", "duration", "distribution", "", "work as stepping time; how long a reservation holds"},
  {"class", "device_time", "device_time", "", "work as device-time at the ideal, \"1000 GPU-h\"; needs a known ideal"},
  {"class", "step", "step", "", "one step"},
  {"class", "program_goodput", "share", "", "P: ideal time of a step over its time"},
  {"class", "input_stall", "stall", "0", "share of stepping time spent waiting for input; needs step.time"},
  {"class", "input", "input", "", "reading a batch, instead of input_stall"},
  {"class", "service", "service", "", "what a replica does, of kind \"service\""},
  {"class", "checkpoint", "checkpoint", "", "periodic checkpoints; without it, one commit at the end"},
  {"class", "startup", "launch", "0 s", "phases of a cold launch"},
  {"class", "recovery", "recovery", "0 s", "what follows a failure, or \"textbook\""},
  {"class", "preemption", "launch", "as startup", "phases of the relaunch after an eviction"},
  {"class", "reconfiguration", "launch", "as preemption", "phases of the relaunch after nodes of the gang were drained or taken away"},
  {"class", "elastic", "elastic", "", "a gang that may change its size; a step is the same work at every size"},
  {"class", "stragglers", "swap_policy", "", "when it gives up slow members for other nodes; default never"},
  {"class", "no_replacement", "hold|release|shrink", "hold", "what survivors do while nothing can replace a lost member: wait for it, give up what they hold, or go on as a smaller elastic gang"},
  {"class", "evictions", "evictions", "", "evictions from outside the scheduler"},
  {"class", "limit", "duration>0", "", "held time of one attempt after which the job is killed"},
  {"class", "enforce_limits", "flag", "true", "a job that overruns its limit is killed; otherwise the limit only tells the scheduler what to expect"},
  {"class", "patience", "duration", "", "a job that has not started so long after its submission gives up; 0 s: at once or never"},
  {"class", "lease", "duration", "", "the allocation is kept this long from gang complete, whatever became of the job"},
  {"class", "end", "end", "", "the job fails or is cancelled for good at an instant"},
  {"class", "max_restarts", "whole", "", "failures survived; the next one ends the job; default without bound"},
  {"class", "own_spares", "whole", "0", "nodes held beside the gang for recovery"},
  {"class", "priority", "integer", "0", "larger is served earlier under order \"priority\""},
  {"class", "preemptible", "flag", "true", "the scheduler may stop it for others"},
  {"class", "quota", "text", "", "quota of the scheduler its jobs count against"},
  {"class", "topology", "topology", "", "how near together the nodes of a gang are to be"},

  {"topology", "level", "node|rack|pod|spine", "required", "all of the gang is in one of these"},
  {"topology", "rule", "required|preferred", "required", "it waits for that as long as it takes, or starts elsewhere where there is no such place free"},
  {"topology", "wait", "duration", "0 s", "goes with \"preferred\": so long in the queue it waits for such a place, and then takes any"},

  {"layout", "tensor", "count", "1", "tensor parallelism"},
  {"layout", "pipeline", "count", "1", "pipeline stages"},
  {"layout", "data", "count", "1", "data parallelism, sharded or not; with `step.model` what the other degrees leave of the gang"},
  {"layout", "context", "count", "1", "context parallelism"},
  {"layout", "expert", "count", "1", "expert parallelism; with `step.model` out of the tensor, context and data ranks"},
  {"layout", "interleave", "count", "1", "with `step.model`: pipeline chunks that each rank holds"},
  {"layout", "micro_batch", "count", "1", "with `step.model`: sequences that one rank takes at a time"},
  {"layout", "sequence_parallel", "flag", "true", "with `step.model`: norms and residuals are split over the tensor ranks"},
  {"layout", "sharding", "none|optimizer|gradients|full", "optimizer", "with `step.model`: what data ranks share out: nothing; optimizer state; gradients too; weights too"},
  {"layout", "shard_group", "count", "", "with `step.model`: ranks over which state is sharded; default all data ranks"},
  {"layout", "recompute", "none|selective|full", "none", "with `step.model`: activations that the backward pass computes once more"},
  {"layout", "stages", "list whole", "", "with `step.model`: layers of each pipeline stage, the embedding before the first and the head after the last; default evenly"},
  {"layout", "uneven", "flag", "false", "with `step.model`: interleaved chunks may differ by a layer"},
  {"layout", "capacity", "positive", "", "with `step.model`: rows that an expert takes, over the even share: what it lacks is padded, what is over is dropped; default all that come"},
  {"layout", "imbalance", "positive", "1", "with `step.model`: rows of the fullest expert over the even share, where none is dropped"},
  {"layout", "offload", "flag", "false", "with `step.model`: optimizer state and its arithmetic are in host memory"},

  {"arrivals", "poisson", "rate", "", "mean rate of a Poisson stream"},
  {"arrivals", "every", "duration>0", "", "time between arrivals"},
  {"arrivals", "gap", "distribution", "", "distribution of the time between arrivals"},
  {"arrivals", "count", "whole", "", "at most this many; default without bound"},

  {"elastic", "policy", "elastic_policy", "fixed", "when it starts, and when it changes its size"},
  {"elastic", "least", "count", "", "the least size, in devices; default the gang's, or the first of step_times"},
  {"elastic", "most", "count", "", "the largest size; default the gang's, or the last of step_times"},
  {"elastic", "step", "count", "1", "from one size to the next, such as a tensor group or the devices of a node"},
  {"elastic", "step_times", "step_times", "", "the sizes, each with the time of a step; without it the work of a step is shared evenly"},
  {"elastic", "grow", "now|at_commit", "now", "where there is room it grows at once, or at its next commit"},
  {"elastic", "resize", "resize", "", "what a change of size costs"},
  {"elastic", "script", "list scripted_resize", "", "changes of size at given instants, under policy \"fixed\""},

  {"resize", "pause", "duration", "as reconfiguration", "pause at the new size"},
  {"resize", "state", "committed|discarded", "committed", "what becomes of the time since the last commit"},

  {"scripted_resize", "at", "duration", "required", "instant, from the start of the run"},
  {"scripted_resize", "devices", "count", "required", "the new size; growing comes to nothing where there is no room"},
  {"scripted_resize", "step", "duration>0", "", "time of a step at it; default out of step_times, between two of them linear in steps a second; without step_times the work shared evenly"},
  {"scripted_resize", "pause", "duration", "as reconfiguration", "pause at the new size"},
  {"scripted_resize", "state", "committed|discarded", "committed", "what becomes of the time since the last commit"},

  {"listed_job", "id", "text", "", "name; default is class and number"},
  {"listed_job", "submit", "duration", "0 s", "instant of arrival"},
  {"listed_job", "devices", "count", "", "devices, on as few nodes as hold them; required without `milli`, `cpus` and `memory`"},
  {"listed_job", "milli", "milli", "", "thousandths of one device, instead of devices"},
  {"listed_job", "cpus", "positive", "", "CPUs of each of its nodes; default the class's"},
  {"listed_job", "memory", "bytes", "", "memory of each of its nodes; default the class's"},
  {"listed_job", "accepts", "accepts", "", "models of devices of listed nodes; default the class's"},
  {"listed_job", "duration", "duration", "required", "stepping time"},
  {"listed_job", "limit", "duration>0", "", "held time after which it is killed"},
  {"listed_job", "patience", "duration", "", "gives up when it has not started so long after its submission; default the class's"},
  {"listed_job", "priority", "integer", "", "larger is served earlier under order \"priority\"; default the class's"},

  {"trace", "format", "format", "required", "format of the file; `fleetsim list trace-formats`"},
  {"trace", "file", "text", "required", "path beside the scenario, or in a folder of traces"},
  {"trace", "limit_jobs", "count", "", "only the first so many, by submission"},
  {"trace", "strict", "flag", "false", "a row that cannot be read is an error also where the format (swf) would skip it with a note; in other formats it always is one"},
  {"trace", "completed_only", "flag", "false", "leaves out what the log calls failed or cancelled"},
  {"trace", "enforce_limits", "flag", "false", "kills a job that overruns the limit the log gives it"},
  {"trace", "arrivals_up_to", "positive", "", "the list in random order, with more drawn or some left out, until it asks for so many times the devices of the pools; jobs never leave"},
  {"trace", "every", "duration>0", "1 s", "time between such arrivals"},
  {"trace", "about", "text", "", "which public data set it is"},
  {"trace", "source", "text", "", "where the data set is to be had"},

  {"gang", "choice", "map weight", "", "sizes in devices, each with its weight"},
  {"gang", "nodes", "count", "", "distinct nodes"},
  {"gang", "per_node", "per_node", "", "whole devices on each of them"},
  {"gang", "remainder", "whole", "0", "devices on one further node"},
  {"gang", "milli", "milli", "", "thousandths of one device, for jobs that share it"},
  {"gang", "members", "list member", "", "members that differ, each on a node of its own, all or nothing; their order means nothing"},

  {"member", "count", "count", "1", "members of this kind"},
  {"member", "devices", "whole", "0", "whole devices of each"},
  {"member", "cpus", "positive", "", "CPUs of each; default the class's"},
  {"member", "memory", "bytes", "", "memory of each; default the class's"},
  {"member", "accepts", "accepts", "", "models of devices of listed nodes; default the class's"},

  {"step", "time", "duration>0", "", "time of one step, input wait left out; required without `model`"},
  {"step", "model", "flag", "false", "time and losses of a step are predicted: from `model`, `layout` and `gang` of the class, and node and fabric of its pool"},
  {"step", "global_batch", "count", "", "with `model`: sequences of one step, whole gang; samples of a recommender"},
  {"step", "precision", "bf16|fp8|mxfp8|nvfp4", "bf16", "with `model`: format of the inputs of matrix products"},
  {"step", "software", "software", "", "with `model`: what runs the step"},
  {"step", "compile", "compile", "", "a compiler shortens parts of the step; its build is a phase of launches"},
  {"step", "tokens", "positive", "", "tokens of one step, whole gang; with `model` the batch times the sequence"},
  {"step", "ideal", "duration>0", "", "time of the step at peak arithmetic, where it is known otherwise than from the model"},
  {"step", "flops", "6N|dense-attention|causal-attention", "6N", "how model arithmetic is counted"},
  {"step", "sequence", "count", "", "tokens of a sequence, for `model` and counts with attention; default the model's"},
  {"step", "parts", "parts", "", "time of the step by loss, such as \"tensor_comm\": \"45 ms\"; the rest is unattributed"},
  {"step", "straggler_share", "share", "1", "share of the step's time that a slow member stretches: its compute, where the rest is waiting for links"},
  {"step", "neighbour_share", "share", "1", "share of the step's time that traffic of others stretches: its exposed communication; a model knows it itself"},

  {"service", "replicas", "count", "", "so many are kept: one whose life is over is replaced by another; without it, and without arrivals, there is one"},
  {"service", "provision", "duration", "0 s", "its nodes are made ready, before its gang counts as complete"},
  {"service", "life", "distribution", "", "from gang complete to release, the drain included"},
  {"service", "ready", "distribution", "", "ready time until it is drained, instead of `life`; neither: endless"},
  {"service", "drain", "distribution", "0 s", "from its last new request to its last answer, at the end of its life and where its nodes are drained at_commit"},
  {"service", "warm", "whole", "0", "replicas beside those that serve, loaded and idle; one takes over where one is wanted, and another is loaded"},
  {"service", "busy", "busy", "1", "share of ready time with requests; the rest is headroom"},
  {"service", "decode", "decode", "", "one step of decoding; gives program goodput and MBU"},

  {"decode", "step", "duration>0", "", "time of one step, as measured; or `model`"},
  {"decode", "model", "flag", "false", "the step is predicted for tensor-parallel devices, as many as the gang has, from the catalog's measured kernels"},
  {"decode", "batch", "count", "1", "tokens of one step, one of each sequence"},
  {"decode", "context", "whole", "0", "with `model`: tokens of each sequence in the key-value cache"},
  {"decode", "weights", "bytes", "2 B a parameter", "weights that a step reads; with `model`, all that the replica keeps"},
  {"decode", "cache", "bytes", "0 B", "key-value cache that a step reads; a model knows it from `context`"},
  {"decode", "launch", "graph|native|eager", "graph", "with `model`: kernels are replayed from a graph, or launched one by one by a compiled runtime or a framework"},
  {"decode", "host", "duration", "0 s", "with `model`: what the server does between steps while the devices wait"},

  {"swap_policy", "swap_after", "duration", "required", "slowed by stragglers for so long, it is stopped and goes on with other nodes, if there are any; charged as reconfiguration"},
  {"swap_policy", "swap", "now|at_commit", "now", "at once, or at its next commit"},

  {"software", "release", "positive", "2026.5", "year of the framework, with its fraction: older ones are slower"},
  {"software", "attention", "flash-2|flash-3|cudnn", "cudnn", "attention kernel"},
  {"software", "skips_masked", "flag", "true", "attention leaves out blocks that a causal mask hides"},
  {"software", "fused", "flag", "true", "norms, activations and rotations run as one kernel each"},
  {"software", "fused_experts", "flag", "true", "the activation between an expert's products runs as one kernel"},
  {"software", "fused_products", "flag", "false", "... and with the casts inside the products' own kernels"},
  {"software", "fused_scaling", "flag", "true", "block scales of mxfp8 are made beside other kernels"},
  {"software", "overlap", "flag", "true", "exchange runs beside computation; without, all of it is exposed"},
  {"software", "prefetch", "flag", "true", "sharded weights are gathered ahead of their layer"},
  {"software", "graphs", "flag", "true", "launches of a step are replayed from CUDA graphs; only layers of experts are bound by their launches"},
  {"software", "whole_graph", "flag", "false", "one graph replays the whole step, experts included"},

  {"compile", "build", "duration", "required", "time of a build, in every launch that says nothing of `compile`"},
  {"compile", "shared", "flag", "false", "what one launch of the class has built, later ones at the same size find; those that launch meanwhile build their own"},
  {"compile", "keeps", "map share", "", "share of a part of the step that is left, such as \"memory_bound\": 0.3"},

  {"input", "io", "duration", "required", "time to have one batch"},
  {"input", "prefetch", "flag", "true", "reads the next batch during the step"},

  {"checkpoint", "interval", "interval", "required", "stepping time between commits: a duration, \"young\", \"daly\", \"auto\" (evictions counted) or \"none\""},
  {"checkpoint", "mode", "sync|async", "sync", "whether steps go on while it is written"},
  {"checkpoint", "size", "bytes", "14 B a parameter", "size of one checkpoint"},
  {"checkpoint", "bandwidth", "byte_rate", "", "at which it is written and read"},
  {"checkpoint", "pause", "duration", "size / bandwidth", "the write, or the staging of an asynchronous one (default 0 s)"},
  {"checkpoint", "flush", "duration", "size / bandwidth", "async: time from the staging until it is durable"},
  {"checkpoint", "step_slowdown", "slowdown", "0 s", "async: how much longer a step takes during a flush, as time or as a share of it"},
  {"checkpoint", "interval_from", "stage|commit", "stage", "async: what the interval is counted from"},

  {"launch", "fetch", "duration", "0 s", "weights come from where they are stored"},
  {"launch", "launch", "duration", "0 s", "processes start, libraries load, communicators form"},
  {"launch", "load", "load", "auto", "the checkpoint is read; \"auto\" is size / bandwidth, 0 s if they are not known"},
  {"launch", "compile", "duration", "0 s", "graphs are compiled"},
  {"launch", "warmup", "duration", "0 s", "excess of warming up, as a time"},
  {"launch", "slow_steps", "slow_steps", "", "excess of warming up, by step"},

  {"recovery", "detect", "duration", "0 s", "time until a failure is noticed"},
  {"recovery", "replace", "duration", "0 s", "after a missing member is filled"},
  {"recovery", "fetch", "duration", "0 s", "weights come from where they are stored"},
  {"recovery", "launch", "duration", "0 s", "processes start, libraries load, communicators form"},
  {"recovery", "load", "load", "auto", "the checkpoint is read; \"auto\" is size / bandwidth, 0 s if they are not known"},
  {"recovery", "compile", "duration", "0 s", "graphs are compiled"},
  {"recovery", "warmup", "duration", "0 s", "excess of warming up, as a time"},
  {"recovery", "slow_steps", "slow_steps", "", "excess of warming up, by step"},

  {"slow_steps", "count", "whole", "required", "first steps after a launch"},
  {"slow_steps", "excess", "duration", "required", "by which each of them is longer"},

  {"evictions", "rate", "rate", "", "mean rate, Poisson on the clock"},
  {"evictions", "every", "duration>0", "", "regular on the clock, instead of a rate"},
  {"evictions", "at", "list duration", "", "instants, from the start of the run"},
  {"evictions", "clock", "held|productive|wall", "held", "the time that counts: held, stepping, or of the wall"},
  {"evictions", "lost_work", "lost_work", "since_last_commit", "what is lost: since the last commit, or a time before the eviction"},
  {"evictions", "save", "duration", "", "graceful: time to save on notice ..."},
  {"evictions", "grace", "duration", "", "... if it fits in this; default without bound"},
  {"evictions", "requeue_delay", "duration", "0 s", "away from the queue"},
  {"evictions", "requeue", "submit|behind", "submit", "at the old place of the queue, or behind it"},

  {"end", "at", "duration", "required", "instant, from the start of the run"},
  {"end", "as", "failed|cancelled", "failed", "how it ends"},

  {"scheduler", "preset", "preset", "", "parts under a name that users know; what else is said here goes before"},
  {"scheduler", "order", "order", "fifo", "which queued job is served first"},
  {"scheduler", "strict", "flag", "true", "a job that cannot start blocks those behind it"},
  {"scheduler", "admission", "atomic|partial-hold", "atomic", "all of a gang at once, or nodes held until it is complete"},
  {"scheduler", "holders", "count", "", "gangs that may hold at once; default without bound"},
  {"scheduler", "hold_timeout", "duration>0", "", "after which an incomplete gang lets go; default never"},
  {"scheduler", "interleave", "flag", "false", "partial hold deals nodes round-robin"},
  {"scheduler", "placement", "placement", "first-fit", "which nodes a gang gets, also one by one under partial hold"},
  {"scheduler", "backfill", "none|easy|conservative", "none", "who may pass a job that cannot start: nobody; whoever does not delay the first such job; whoever delays nobody"},
  {"scheduler", "backfill_depth", "count", "", "queued jobs looked at behind the first that cannot start; default all"},
  {"scheduler", "estimates", "limit|exact", "limit", "how long the scheduler takes a job to run: its limit where it has one, or its true length"},
  {"scheduler", "estimate_factor", "positive", "1", "what true lengths are multiplied by, where they are what the scheduler goes by"},
  {"scheduler", "preemption", "order_preemption", "none", "\"none\", or evictions by order"},
  {"scheduler", "las_thresholds", "list device_time", "", "attained service at which a job falls to the next queue, \"3250 GPU-s\""},
  {"scheduler", "quotas", "map quota", "", "what the jobs of a quota may hold, by name: a number of devices, or a queue with a guarantee"},
  {"scheduler", "cohorts", "map cohort", "", "queues that lend to each other, by name"},
  {"scheduler", "fair_share_half_life", "duration>0", "7 d", "order \"fair-share\" forgets half of what a queue has held in this time"},

  {"order_preemption", "placements", "kept|remade", "kept", "running jobs stay where they are, or all placements are remade at each event"},
  {"order_preemption", "by", "order|priority|nobody", "order", "who may stop whom: who stands before it in the order, or who has a larger priority"},
  {"order_preemption", "reclaim", "flag", "false", "a queue may stop those who borrow what it is guaranteed"},
  {"order_preemption", "victims", "victims", "", "who is stopped first, of those that may be; default `worst` by order, otherwise `fewest`"},
  {"order_preemption", "min_runtime", "duration", "0 s", "nobody is stopped before it has run so long"},
  {"order_preemption", "job_budget", "budget", "", "evictions of one job; default without bound"},
  {"order_preemption", "pool_budget", "budget", "", "evictions in one pool; default without bound"},
  {"order_preemption", "lost_work", "lost_work", "since_last_commit", "what is lost: since the last commit, or a time before the eviction"},
  {"order_preemption", "save", "duration", "", "graceful: time to save on notice ..."},
  {"order_preemption", "grace", "duration", "", "... if it fits in this; default without bound"},
  {"order_preemption", "requeue_delay", "duration", "0 s", "away from the queue"},
  {"order_preemption", "requeue_backoff", "factor", "1", "factor of requeue_delay for every eviction after the first"},
  {"order_preemption", "requeue", "submit|behind", "submit", "at the old place of the queue, or behind it"},
  {"order_preemption", "relaunch", "duration", "", "relaunch of the victim; default its own"},

  {"quota", "guarantee", "devices", "", "devices that are its own whenever it wants them"},
  {"quota", "limit", "devices", "", "devices it may never exceed, borrowed ones included"},
  {"quota", "cohort", "text", "", "cohort whose unused guarantees it may borrow"},
  {"quota", "lend", "devices", "", "devices of the guarantee that others may borrow; default all"},
  {"quota", "lend_when_head_blocked", "flag", "true", "lends also while its own jobs wait for more than is left of its guarantee"},
  {"quota", "weight", "positive", "1", "of its share under order \"fair-share\""},

  {"cohort", "parent", "text", "", "cohort it is part of, and may borrow from"},
  {"cohort", "limit", "devices", "", "devices that its queues may never exceed together"},

  {"budget", "evictions", "evictions", "required", "at most so many, 0 for none at all, or \"unlimited\" ..."},
  {"budget", "per", "duration>0", "required", "... within any interval of this length"},

  {"window", "length", "duration>0", "", "what is counted"},
  {"window", "until", "done", "", "\"done\": until every job has ended, instead of a length"},
  {"window", "warm_up", "duration", "0 s", "left out at the start"},
  {"window", "run_on", "duration", "", "at most this long past the end, to learn what became of work; default one more length"},

  {"runs", "seed", "whole", "1", "seed of all random streams"},
  {"runs", "replications", "replications", "1", "independent runs; the maximum if `until` is given"},
  {"runs", "until", "until", "", "stops when a figure is known well enough"},
  {"runs", "batch", "count", "16", "replications between looks at `until`"},

  {"until", "figure", "text", "required", "name of the figure"},
  {"until", "half_width", "positive", "required", "half width of its interval to reach"},

  {"expectation", "figure", "text", "required", "name of the figure"},
  {"expectation", "alternative", "text", "", "of which alternative; default the base"},
  {"expectation", "at", "place", "", "where in the sweep: values by JSON pointer; default the values of the file itself"},
  {"expectation", "basis", "closed_form|simulated", "required", "what is compared: the closed form or the simulated value"},
  {"expectation", "value", "number", "", "what it should be; or ..."},
  {"expectation", "above", "compared", "", "... what it is above by more than its interval: a number, or another figure over the same replications; or ..."},
  {"expectation", "below", "compared", "", "... below"},
  {"expectation", "within", "tolerance", "", "by how much it may differ; a simulated one may do without, and must then lie in its interval"},
  {"expectation", "source", "text", "required", "where the value is from"},

  {"compared", "figure", "text", "", "name of the other figure; default the same"},
  {"compared", "alternative", "text", "", "of which alternative, or \"base\"; default the same"},
  {"compared", "at", "place", "", "where in the sweep; default the same"},
};
// clang-format on

/// Cuts the first token off a JSON pointer and unescapes it.
std::string take_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::string_view raw = pointer.substr(0, pointer.find('/'));
  pointer.remove_prefix(raw.size());
  std::string token;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const bool escaped = raw[i] == '~' && i + 1 < raw.size();
    token += !escaped ? raw[i] : raw[++i] == '1' ? '/' : '~';
  }
  return token;
}

/// Kinds of objects that stand where a type of another name allows them beside a plain value.
std::string_view object_of(std::string_view type) { return type == "components" ? "map component" : type; }

}  // namespace

std::span<const KeyInfo> scenario_keys() { return kKeys; }

std::span<const KeyInfo> keys_of(std::string_view object) {
  const auto first = std::find_if(std::begin(kKeys), std::end(kKeys),
                                  [&](const KeyInfo& row) { return row.object == object; });
  const auto last =
      std::find_if(first, std::end(kKeys), [&](const KeyInfo& row) { return row.object != object; });
  return {first, last};
}

const KeyInfo* find_key(std::string_view object, std::string_view key) {
  for (const KeyInfo& row : keys_of(object)) {
    if (row.name == key) return &row;
  }
  return nullptr;
}

std::string_view type_at(std::string_view pointer) {
  std::string_view type = "scenario";
  while (!pointer.empty()) {
    if (pointer.front() != '/') return {};
    const std::string token = take_token(pointer);
    const std::string_view object = object_of(type);
    if (object.starts_with("map ")) {
      type = object.substr(4);
    } else if (object.starts_with("list ")) {
      type = object.substr(5);
    } else {
      const KeyInfo* row = find_key(object, token);
      if (row == nullptr) return {};
      type = row->type;
    }
  }
  return type;
}

}  // namespace fleetsim
