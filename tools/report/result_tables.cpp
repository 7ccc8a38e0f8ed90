#include "tools/report/result_tables.hpp"

#include <algorithm>

#include "models/quantity/format.hpp"
#include "tools/records/csv.hpp"
#include "tools/report/facts.hpp"

namespace fleetsim {
namespace {

/// The cells that say which point a row is of.
void add_place(CsvWriter& out, const StudyResult& study, std::size_t index) {
  const StudyPoint& point = *study.points[index].point;
  out.cell(static_cast<std::int64_t>(index)).cell(point.alternative);
  for (const auto& [pointer, ignored] : study.points.front().point->sweep) {
    std::string_view value;
    for (const auto& [axis, text] : point.sweep) {
      if (axis == pointer) value = text;
    }
    out.cell(value);
  }
}

void add_place_header(CsvWriter& out, const StudyResult& study) {
  out.cell("point").cell("alternative");
  if (study.points.empty()) return;
  for (const auto& [pointer, ignored] : study.points.front().point->sweep) out.cell(pointer);
}

void add_time(CsvWriter& out, const std::optional<SimTime>& time) {
  time ? out.cell(time->ns()) : out.empty();
}

}  // namespace

std::string summary_table(const StudyResult& study, const std::vector<std::string>& figures) {
  CsvWriter out;
  add_place_header(out, study);
  out.cell("figure").cell("unit").cell("statistic").cell("value").end_row();
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const auto standing = std::find_if(study.standings.begin(), study.standings.end(),
                                       [&](const Standing& each) { return each.point == i; });
    for (const Figure& figure : study.points[i].figures) {
      if (!figures.empty() && std::find(figures.begin(), figures.end(), figure.name) == figures.end())
        continue;
      const auto add = [&](std::string_view statistic, std::optional<double> value) {
        add_place(out, study, i);
        out.cell(figure.name).cell(figure.unit).cell(statistic).number(value).end_row();
      };
      add("mean", figure.simulated.mean);
      add("half_width", figure.simulated.half_width);
      add("n", static_cast<double>(figure.simulated.n));
      if (figure.closed_form) add("closed_form", figure.closed_form);
      if (figure.name != study.objective.figure || standing == study.standings.end()) continue;
      add("less_best", standing->less_best.mean);
      add("less_best_half_width", standing->less_best.half_width);
    }
  }
  return out.text();
}

std::string jobs_table(const StudyResult& study) {
  CsvWriter out;
  add_place_header(out, study);
  for (const char* column : {"job", "id", "class", "milli_devices", "submit_ns", "first_start_ns", "end_ns",
                             "state", "queue_wait_ns", "requeue_wait_ns", "held_ns", "member_wait_ns",
                             "steps", "commits", "failures", "evictions", "drains", "resizes"})
    out.cell(column);
  out.end_row();
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    for (const JobOutcome& job : study.points[i].jobs) {
      add_place(out, study, i);
      out.cell(static_cast<std::int64_t>(job.sequence)).cell(job.id);
      out.cell(scenario_of(study.points[i]).classes[job.job_class].name).cell(job.capacity.milli());
      out.cell(job.submit.ns());
      add_time(out, job.first_start);
      add_time(out, job.end);
      out.cell(job.state ? name_of(*job.state) : job.doing);
      for (const Duration time : {job.queue_wait, job.requeue_wait, job.held, job.member_wait})
        out.cell(time.ns());
      for (const std::int64_t count :
           {job.steps, job.commits, job.failures, job.evictions, job.drains, job.resizes})
        out.cell(count);
      out.end_row();
    }
  }
  return out.text();
}

std::string preemptions_table(const StudyResult& study) {
  CsvWriter out;
  add_place_header(out, study);
  for (const char* column : {"at_ns", "pool", "cause", "victim", "victim_id", "beneficiary", "beneficiary_id",
                             "milli_devices", "lost_milli_device_ns", "depth"})
    out.cell(column);
  out.end_row();
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const PointResult& point = study.points[i];
    const auto id = [&](std::uint64_t sequence) -> std::string_view {
      const auto job = std::lower_bound(
          point.jobs.begin(), point.jobs.end(), sequence,
          [](const JobOutcome& each, std::uint64_t number) { return each.sequence < number; });
      return job == point.jobs.end() || job->sequence != sequence ? std::string_view{} : job->id;
    };
    for (const PreemptionRow& row : point.preemptions) {
      add_place(out, study, i);
      out.cell(row.at.ns()).cell(scenario_of(point).pools[row.pool].name).cell(name_of(row.cause));
      out.cell(static_cast<std::int64_t>(row.victim)).cell(id(row.victim));
      if (row.beneficiary) {
        out.cell(static_cast<std::int64_t>(*row.beneficiary)).cell(id(*row.beneficiary));
      } else {
        out.cell(std::string_view{}).cell(std::string_view{});
      }
      out.cell(row.capacity.milli()).cell(to_string(row.lost)).cell(static_cast<std::int64_t>(row.depth));
      out.end_row();
    }
  }
  return out.text();
}

std::string fragmentation_table(const StudyResult& study) {
  CsvWriter out;
  add_place_header(out, study);
  for (const char* column : {"at_ns", "pool", "free_milli_devices", "card", "node", "rack", "pod", "fgd"})
    out.cell(column);
  out.end_row();
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    for (const FragmentationSample& sample : study.points[i].fragmentation) {
      const PoolSpec& pool = scenario_of(study.points[i]).pools[sample.pool];
      add_place(out, study, i);
      out.cell(sample.at.ns()).cell(pool.name).cell(sample.free.milli());
      const auto share = [&](Capacity stranded) {
        const auto free = static_cast<double>(sample.free.milli());
        out.cell(free > 0 ? format_fixed(static_cast<double>(stranded.milli()) / free, 6) : std::string{});
      };
      for (const Capacity stranded : {sample.device, sample.node, sample.rack, sample.pod}) share(stranded);
      pool.packed.empty() ? void(out.cell(std::string_view{})) : share(sample.typical);
      out.end_row();
    }
  }
  return out.text();
}

}  // namespace fleetsim
