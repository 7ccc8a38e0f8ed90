#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/core/device_time.hpp"

namespace fleetsim {

/// Builds a table as RFC 4180 describes it, with plain line feeds: every text reads back as it is.
class CsvWriter {
 public:
  CsvWriter& cell(std::string_view text);
  CsvWriter& cell(const char* text) { return cell(std::string_view(text)); }
  CsvWriter& cell(std::int64_t number);
  /// The shortest decimal that reads back as the same number; nothing for what is no number.
  CsvWriter& number(std::optional<double> value);
  CsvWriter& cell(DeviceTime amount);  ///< in milli-device-nanoseconds
  CsvWriter& empty() { return cell(std::string_view{}); }
  void end_row();

  const std::string& text() const { return text_; }

 private:
  void separate();

  std::string text_;
  std::size_t row_begin_ = 0;
  bool row_has_cells_ = false;
};

}  // namespace fleetsim
