// lib/report_assets.h - the files of page/, which the build puts into the command.
#pragma once
#include <string_view>

namespace longshore::cli {

extern const std::string_view kPageHtml;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
extern const std::string_view kPlotScript;
extern const std::string_view kPlotLicence;
extern const std::string_view kD3Script;
extern const std::string_view kD3Licence;

}  // namespace longshore::cli
