// lib/explain_text.h - an explanation for people, and as JSON.
#pragma once
#include <string>

#include "advise/profile.h"
#include "layout/layout.h"
#include "lib/explain.h"

namespace longshore::cli {

// One line: "/scratch/x: plain file system, blocks of 4 KiB". All that is said of layouts is here.
[[nodiscard]] std::string layout_text(const std::string& path, const Layout& layout);

[[nodiscard]] std::string explanation_text(const Explanation& told);

// One document: layout, pattern, decision, numbers, alternatives and the profile behind them.
[[nodiscard]] std::string explanation_json(const std::string& path, const Layout& layout,
                                           const Explanation& told, const Profile& profile);

}  // namespace longshore::cli
