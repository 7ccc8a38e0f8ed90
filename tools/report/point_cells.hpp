#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/report/facts.hpp"
#include "tools/report/table.hpp"

/// Cells of tables that have a row for each point of a study. What has no value reads "no data".
namespace fleetsim {

const FrontierEntry* frontier_entry(const StudyResult& study, std::size_t point);

/// A figure as its unit asks for.
std::string figure_text(const PointResult& point, std::string_view figure, const Style& style);
/// A share, to three decimals; its mean alone, to four.
std::string factor(const PointResult& point, std::string_view figure, const Style& style);
std::string mean_text(const PointResult& point, std::string_view figure);
/// MPG, or its bounds where some work has no known ideal.
std::string mpg_text(const PointResult& point, const Style& style);
std::string cost_text(const PointResult& point, const Style& style);
/// The time that the frontier compares, and what it is of.
std::string time_text(const StudyResult& study, std::size_t point, const Style& style);
std::string time_title(const StudyResult& study);

/// Takes out the columns in which no row has anything to say.
void drop_empty_columns(std::vector<Column>& columns, std::vector<TableRow>& rows);
/// Leaves as many rows as a page bears. @returns a line on those left out.
std::string cut_rows(std::vector<TableRow>& rows);

}  // namespace fleetsim
