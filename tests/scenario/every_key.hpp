#pragma once

#include <string_view>

namespace fleetsim {

/// Scenarios without sense that together use every key; several, since some keys exclude each other.
inline constexpr std::string_view kEveryKey[] = {
    R"({
  "$schema": "schema.json", "name": "every key", "about": "none left out", "gate": "loss 2.0",
  "fleet": { "pools": {
    "a": { "node": "dgx-h100", "nodes": 4, "fabric": "ndr400-rail", "contention": true, "nodes_per_rack": 1, "nodes_per_pod": 2, "nodes_per_spine": 4, "price": "2 USD/GPU-h", "spares": 1, "teardown": "5 s",
           "faults": { "components": { "gpu": { "lifetime": { "weibull": { "mean": "900 h", "shape": 0.7 } } } } } },
    "b": { "device": "toy", "devices_per_node": 4, "peak": "100 TFLOP/s", "nodes": 3, "racks": [0, 0, 1], "pods": [0, 0, 1], "spines": [0, 0, 0],
           "drains": [ { "at": "1 h", "for": "2 h", "every": "7 d", "rack": 1, "mode": "at_commit" }, { "at": "1 h", "until": "2 h", "nodes": [0, 2] }, { "at": "1 h", "last": 1 } ],
           "installed": [ { "from": "1 h", "until": "3 d", "last": 1 }, { "from": "1 h", "nodes": [0] } ] },
    "c": { "device": "toy", "devices_per_node": 4, "nodes": 3, "racks": [0, 0, 1], "installed": [ { "from": "1 h", "rack": 1 } ] } } },
  "faults": {
    "components": {
      "gpu": { "hits": "device", "takes_out": "node", "mttf": "50000 h", "detect": "30 s", "repair": "1 h", "lemons": { "share": 0.1, "factor": 5 } },
      "nic": { "hits": "node", "rate": "1 /w" },
      "fan": { "lifetime": { "weibull": { "scale": "9000 h", "shape": 1.5 } }, "repair": { "uniform": ["1 h", "2 h"] } } },
    "takes_out": "node", "detect": "1 min", "repair": { "lognormal": { "median": "1 h", "sigma": 1 } }, "lemons": { "share": "5 %", "factor": 2 },
    "incidents": [ { "at": "1 h", "pool": "b", "node": 1, "device": 2, "hits": "device", "takes_out": "nothing", "detect": "1 s", "repair": "2 h" } ],
    "slow": { "bad": { "hits": "node", "cause": "straggler", "share": 0.1, "speed": [0.7, 0.9], "repair": "1 h" },
      "hot": { "rate": "1 /w", "length": { "exponential": "1 h" }, "speed": 0.8 } },
    "episodes": [ { "at": "1 h", "for": "1 h", "pool": "b", "node": 1, "device": 2, "hits": "device", "cause": "straggler", "speed": 0.5, "repair": "1 h" },
      { "at": "1 h", "until": "3 h", "pool": "a", "hits": "rack", "cause": "noisy_neighbour", "speed": 0.9 } ] },
  "workload": {
    "train": { "kind": "training", "accepts": ["a"], "model": "llama2-70b", "layout": { "tensor": 8, "pipeline": 2, "data": 1, "context": 1, "expert": 1 },
      "submit": "1 min", "gang": { "nodes": 2, "per_node": 8, "remainder": 0 }, "tokens": 1e9,
      "step": { "time": "2 s", "tokens": 30000, "flops": "causal-attention", "sequence": 4096, "parts": { "tensor_comm": "0.1 s" }, "straggler_share": 0.9, "neighbour_share": "10 %" },
      "stragglers": { "swap_after": "30 min", "swap": "at_commit" },
      "input": { "io": "1 s", "prefetch": true },
      "checkpoint": { "interval": "30 min", "mode": "async", "size": "1 TB", "bandwidth": "10 GB/s", "pause": "1 s", "flush": "100 s", "step_slowdown": "5 %", "interval_from": "commit" },
      "startup": { "fetch": "1 min", "launch": "1 min", "load": "auto", "compile": "10 s", "warmup": "5 s", "slow_steps": { "count": 3, "excess": "1 s" } },
      "recovery": { "detect": "1 min", "replace": "1 min", "fetch": "1 s", "launch": "1 min", "load": "9 s", "compile": "1 s", "warmup": "1 s", "slow_steps": { "count": 1, "excess": "1 s" } },
      "preemption": { "launch": "1 min" }, "reconfiguration": { "launch": "1 min" }, "no_replacement": "release",
      "evictions": { "rate": "1 /d", "at": ["2 h"], "clock": "wall", "lost_work": "15 min", "save": "10 s", "grace": "30 s", "requeue_delay": "1 min", "requeue": "behind" },
      "limit": "10 d", "lease": "11 d", "end": { "at": "3 d", "as": "cancelled" }, "max_restarts": 5, "own_spares": 1, "priority": 3, "quota": "team", "topology": { "level": "rack", "rule": "required" } },
    "stream": { "arrivals": { "poisson": "2 /h", "count": 100 }, "gang": { "choice": { "1": 0.5, "2": 0.5 } }, "duration": { "exponential": "1 h" }, "program_goodput": 0.5 },
    "modelled": { "model": "qwen3-30b-a3b", "accepts": ["a"], "gang": 16, "steps": 10,
      "layout": { "tensor": 2, "pipeline": 2, "interleave": 2, "micro_batch": 1, "expert": 4, "sequence_parallel": true, "sharding": "optimizer", "shard_group": 4, "recompute": "full", "stages": [24, 24], "uneven": true, "capacity": 1.25, "imbalance": 1.1, "offload": true },
      "step": { "model": true, "sequence": 4096, "global_batch": 64, "precision": "fp8",
        "software": { "release": 2025.5, "attention": "flash-3", "skips_masked": true, "fused": true, "fused_experts": true, "fused_products": true, "fused_scaling": true, "overlap": true, "prefetch": true, "graphs": false, "whole_graph": false },
        "compile": { "build": "15 min", "shared": true, "keeps": { "memory_bound": 0.3 } } } },
    "regular": { "arrivals": { "every": "1 h" }, "gang": 1, "duration": { "empirical": ["1 h", "2 h"] }, "evictions": { "every": "9 h" } },
    "gaps": { "arrivals": { "gap": { "choice": { "1 h": 0.5, "2 h": 0.5 } } }, "gang": { "milli": 300 }, "device_time": "1000 GPU-h", "program_goodput": 0.5 },
    "listed": { "jobs": [ { "id": "j", "submit": "1 s", "devices": 2, "duration": "1 h", "limit": "2 h", "priority": 1 } ] },
    "steps": { "gang": 1, "steps": 10, "epoch": 2, "step": { "time": "1 s", "ideal": "0.5 s" }, "input_stall": 0.1,
      "checkpoint": { "interval": "5 s", "pause": "1 s" }, "elastic": { "policy": "fixed", "grow": "at_commit", "step_times": { "1": "1 s", "2": "0.6 s" }, "resize": { "pause": "1 min", "state": "discarded" }, "script": [ { "at": "2 h", "devices": 2, "step": "0.6 s", "pause": "1 s", "state": "committed" } ] } },
    "elastic": { "gang": 2, "steps": 10, "step": { "time": "1 s" }, "elastic": { "least": 2, "most": 6, "step": 2 } } },
  "scheduler": { "order": "las", "admission": "partial-hold", "holders": 3, "hold_timeout": "1 h", "interleave": true,
    "las_thresholds": ["10 GPU-h"], "quotas": { "team": 16 } },
  "window": { "length": "5 d", "warm_up": "1 d", "run_on": "2 d" },
  "runs": { "seed": 7, "replications": 4, "until": { "figure": "mpg", "half_width": 0.01 }, "batch": 2 },
  "alternatives": { "fifo": { "scheduler": { "order": "fifo" } } },
  "sweep": { "/workload/train/priority": [1, 2] },
  "assume": { "pools.a.scheduling_goodput": 0.65 },
  "expect": [ { "figure": "mpg", "alternative": "fifo", "basis": "simulated", "value": 0.3, "within": 0.1, "source": "none" },
    { "figure": "mpg", "at": { "/workload/train/priority": 2 }, "basis": "simulated", "above": { "figure": "runtime_goodput", "alternative": "fifo", "at": { "/workload/train/priority": 1 } }, "source": "none" },
    { "figure": "mpg", "basis": "simulated", "below": { "alternative": "fifo" }, "source": "none" } ]
})",
    R"({
  "fleet": { "pools": { "a": { "device": "toy", "devices_per_node": 4, "nodes": 3 } } },
  "workload": { "a": { "gang": 4, "duration": "1 h", "limit": "2 h", "enforce_limits": false, "preemptible": false,
    "topology": { "level": "rack", "rule": "preferred", "wait": "30 min" } } },
  "scheduler": { "preset": "slurm-backfill", "order": "fair-share", "fair_share_half_life": "1 d", "cohorts": { "all": {}, "some": { "parent": "all", "limit": 10 } },
    "quotas": { "q": { "guarantee": 1.5, "limit": 3, "cohort": "some", "lend": 1, "lend_when_head_blocked": false, "weight": 2 } }, "backfill": "easy", "backfill_depth": 10, "estimates": "exact", "estimate_factor": 2,
    "preemption": { "placements": "kept", "by": "priority", "reclaim": true, "victims": "cheapest", "min_runtime": "1 min", "job_budget": { "evictions": 2, "per": "1 d" }, "pool_budget": { "evictions": 9, "per": "1 h" }, "requeue_backoff": 2, "lost_work": "1 min", "save": "1 s", "grace": "2 s", "requeue_delay": "3 s", "requeue": "submit", "relaunch": "4 s" } },
  "window": { "until": "done" }
})",
    R"({
  "fleet": { "pools": {
    "a": { "nodes": { "groups": [ { "count": 2, "devices": 4, "device": "T4", "cpus": 32, "memory": "256 GiB" }, { "devices": 0 } ], "order": "shuffled" }, "fragmentation": true, "fragmentation_every": "10 min" },
    "b": { "device": "toy", "devices_per_node": 4, "nodes": 3, "cpus_per_node": 16, "memory_per_node": "64 GiB" },
    "c": { "nodes": { "format": "openb", "file": "three_nodes.csv", "order": "listed", "about": "three nodes", "source": "this folder" } } } },
  "workload": {
    "a": { "gang": 4, "duration": "1 h", "cpus": 1.5, "memory": "1 GiB", "accepts": ["T4", "b"], "patience": "1 h" },
    "m": { "gang": { "members": [ { "count": 1, "devices": 4, "cpus": 4, "memory": "1 GiB", "accepts": "T4" } ] }, "accepts": ["a"], "duration": "1 h" },
    "b": { "jobs": [ { "milli": 300, "duration": "1 h", "cpus": 2, "memory": "1 GiB", "accepts": "T4", "patience": "1 min" } ] },
    "c": { "kind": "reservation", "trace": { "format": "openb", "file": "three_pods.csv", "arrivals_up_to": 1.3, "every": "2 s" } } },
  "scheduler": { "placement": "fgd", "strict": false },
  "window": { "length": "1 h" }
})",
    R"({
  "fleet": { "pools": { "a": { "device": "toy", "devices_per_node": 8, "nodes": 3, "peak": "100 TFLOP/s", "memory_bandwidth": "1 TB/s" },
    "n": { "node": "dgx-h100", "nodes": 1 } } },
  "workload": {
    "serve": { "kind": "service", "model": "llama2-70b", "gang": 8, "accepts": "a", "startup": { "fetch": "5 min", "load": "25 s", "warmup": "15 s" },
      "service": { "replicas": 2, "provision": "1 min", "life": { "lognormal": { "median": "1 h", "sigma": 1 } }, "drain": { "uniform": ["0 s", "30 s"] }, "warm": 1, "busy": 0.7,
        "decode": { "step": "40 ms", "batch": 4, "weights": "140 GB", "cache": "1 GB" } } },
    "predicted": { "kind": "service", "model": "llama2-70b", "gang": 8, "accepts": "n",
      "service": { "decode": { "model": true, "batch": 64, "context": 2048, "weights": "140 GB", "launch": "native", "host": "1 ms" } } },
    "burst": { "kind": "service", "gang": 8, "arrivals": { "poisson": "1 /h" }, "service": { "ready": "1 h", "busy": "50 %" }, "program_goodput": 0.1 } },
  "window": { "length": "1 d" }
})",
    R"({
  "fleet": { "pools": { "a": { "device": "toy", "devices_per_node": 4, "nodes": 3 } } },
  "workload": { "t": { "trace": { "format": "csv", "file": "two_jobs.csv", "limit_jobs": 1, "strict": true, "completed_only": true, "enforce_limits": true, "about": "two jobs", "source": "this folder" } } },
  "window": { "until": "done" }
})",
};

}  // namespace fleetsim
