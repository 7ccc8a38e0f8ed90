#pragma once

#include <string>
#include <vector>

#include "sim/study/study.hpp"

namespace fleetsim {

/// summary.csv, tidy: one row per point, figure and statistic (mean, half_width, n, closed_form; of the
/// objective of a study of several points also less_best and less_best_half_width). Beside the point stand
/// its alternative and a column for each axis of the sweep; what has no value is an empty cell.
/// @param figures  those to tell; empty: all
std::string summary_table(const StudyResult& study, const std::vector<std::string>& figures = {});

/// jobs.csv: one row per job of replication 0 of every point, in order of arrival. Times in nanoseconds. The
/// state of a job that has not ended is what it was doing when the run ended ("queued", "running", ...), and
/// its waits and held time are those up to then.
std::string jobs_table(const StudyResult& study);

/// fragmentation.csv: what is free in a pool at instants of replication 0, and the share of it that jobs
/// could not use, by level.
std::string fragmentation_table(const StudyResult& study);
/// preemptions.csv: one row per stop of a job, or loss of members, with its cause and, where it was stopped
/// for another, that one; in replication 0 of every point.
std::string preemptions_table(const StudyResult& study);

}  // namespace fleetsim
