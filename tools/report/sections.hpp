#pragma once

#include <string>

#include "tools/report/page.hpp"

/// The sections that pages are put together from, each a few whole lines.
namespace fleetsim {

std::string title_section(const PointResult& base, const PageContext& context);
/// Where in the sweep the base stands; "" where there is none.
std::string place_section(const PointResult& base, const Style& style);
std::string capacity_section(const PointResult& base, const Style& style);
std::string losses_section(const PointResult& base, const Style& style);
/// How long jobs waited and for what; "" where nobody did.
std::string scheduling_section(const PointResult& base, const Style& style);
std::string jobs_section(const PointResult& base, const Style& style);
/// Replicas that serve; "" where there are none.
std::string services_section(const PointResult& base, const Style& style);
/// How they fared under each point; "" where there are none.
std::string services_table(const StudyResult& study, const Style& style);
/// What is allocated in the end under each point, of jobs that come and stay; "" elsewhere.
std::string allocation_table(const StudyResult& study, const Style& style);
/// Epochs done under each point; "" where nobody's work is told in epochs.
std::string epochs_table(const StudyResult& study, const Style& style);
/// What steps take under each point, where some are predicted and they differ; "" elsewhere.
std::string steps_table(const StudyResult& study, const Style& style);
/// Money, what to try next, the contract of measurement, warnings.
std::string closing_sections(const PointResult& base, const PageContext& context);
std::string alternatives_section(const StudyResult& study, const Style& style);

/// The leaf without its boundary, in words: "partial gang".
std::string leaf_label(const LeafInfo& leaf);
double device_hours(DeviceTime time);
/// `part / whole`, or nothing of nothing.
double share_of(DeviceTime part, DeviceTime whole);

}  // namespace fleetsim
