#include "tools/report/figure_lines.hpp"

#include <cmath>

#include "models/quantity/format.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kLabel = 44, kClosed = 16, kSimulated = 24;

}  // namespace

std::string block_title(const std::string& title, const Style& style) {
  return pad_right(heading(title, style), kLabel) + pad_left("closed form", kClosed) +
         pad_left("simulated", kSimulated) + "\n";
}

std::string block_line(const std::string& label, const std::string& closed, const std::string& simulated) {
  return "  " + pad_right(label, kLabel - 2) + pad_left(closed, kClosed) + pad_left(simulated, kSimulated) +
         "\n";
}

std::string figure_line(const std::string& label, const Figure* figure, FigureText text, const Style& style) {
  if (figure == nullptr || (!figure->closed_form && !figure->simulated.mean)) return {};
  std::string closed = "-";
  if (figure->closed_form) closed = text(Estimate{*figure->closed_form, std::nullopt, 0}, style);
  return block_line(label, closed, figure->simulated.mean ? text(figure->simulated, style) : "no data");
}

std::string four_decimals(const Estimate& estimate, const Style& style) {
  return with_interval(estimate, Decimals{.least = 4}, style);
}

std::string percent(const Estimate& estimate, int least_decimals, const Style& style) {
  Estimate points = estimate;
  points.mean = *estimate.mean * 100;
  if (points.half_width) *points.half_width *= 100;
  return with_interval(points, Decimals{.least = least_decimals}, style) + " %";
}

bool is_seen(const Figure* figure) {
  return figure != nullptr &&
         (figure->closed_form.value_or(0) != 0 || figure->simulated.mean.value_or(0) != 0);
}

std::string mean_count(double mean, std::string_view one, std::string_view more) {
  const std::string number =
      std::floor(mean) == mean ? format_integer(std::llround(mean)) : format_number(mean);
  return number + " " + std::string(mean == 1 ? one : more);
}

}  // namespace fleetsim
