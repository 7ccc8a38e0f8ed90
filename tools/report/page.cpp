#include "tools/report/page.hpp"

#include "tools/report/sections.hpp"

namespace fleetsim {

std::string run_page(const StudyResult& study, const PageContext& context) {
  if (study.points.empty()) return "no data: the study has no points\n";
  const PointResult& base = study.points.front();
  std::string page = title_section(base, context) + place_section(base, context.style) + "\n" +
                     capacity_section(base, context.style) + "\n";
  page += losses_section(base, context.style) + "\n";
  if (const std::string scheduling = scheduling_section(base, context.style); !scheduling.empty())
    page += scheduling + "\n";
  for (const std::string& section :
       {jobs_section(base, context.style), services_section(base, context.style)})
    if (!section.empty()) page += section + "\n";
  if (study.points.size() > 1) page += alternatives_section(study, context.style) + "\n";
  return page + closing_sections(base, context);
}

}  // namespace fleetsim
