// lib/report_page.h - the whole page.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "lib/report_types.h"

namespace longshore::cli {

struct PageOptions {
  std::string title = "Longshore report";
  std::string when;  // the date, as it is to be read
};

// One HTML document that needs no other file and no network: a summary in words, then a section for
// each input.
[[nodiscard]] std::string render_page(const ReportData& data, const PageOptions& options);

// `text` with each {{name}} replaced by its value. Values are not looked through again, and names
// without a value stay as they are.
[[nodiscard]] std::string fill_template(std::string_view text,
                                        const std::map<std::string, std::string>& values);

}  // namespace longshore::cli
