// lib/report_profile.h - a site profile, as `longshore tune` writes it, in the report.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"
#include "lib/report_html.h"
#include "lib/report_types.h"

namespace longshore::cli {

// Whether some line gives one of a profile's constants a value.
[[nodiscard]] bool is_profile(const std::string& text);

// The constants that the text has, each with its comment. Fails as parse_profile() of
// advise/profile.h does.
[[nodiscard]] Result<ProfileInput> read_profile(const std::string& text);

// How many constants were measured, and how many were not.
[[nodiscard]] std::vector<Finding> profile_findings(const ProfileInput& input);

// Bars of times and of speeds, and the table.
void add_profile_section(const ProfileInput& input, PageBody& body);

}  // namespace longshore::cli
