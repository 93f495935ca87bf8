#include "lib/explain_text.h"

#include <nlohmann/json.hpp>

#include "advise/describe.h"
#include "lib/bench_text.h"
#include "lib/stats_text.h"

namespace longshore::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string line(const std::string& title, const std::string& text) {
  return padded(title, 12) + text + "\n";
}

std::string plural(int64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string ms(double value) { return number(value, value < 10 ? 3 : 1); }

std::string pattern_text(const Explanation& told) {
  const auto& pattern = told.pattern;
  std::string text = plural(pattern.ranks, "rank") + " on " + plural(pattern.hosts, "host") + ", " +
                     plural(pattern.times, "call") + " of " + told.call + ": " +
                     plural(pattern.count, "piece") + " of " + bytes_in_words(pattern.block_bytes) +
                     " a rank";
  if (pattern.count > 1) {
    text += ", every " + bytes_in_words(pattern.stride_bytes);
  }
  return line("pattern", text);
}

double touched_percent(const Explanation& told) {
  const auto bytes = static_cast<double>(told.shape.bytes_per_rank * told.pattern.ranks);
  return 100 * bytes / static_cast<double>(told.shape.range.length());
}

std::string numbers_of(const Explanation& told) {
  const int64_t bytes = told.shape.bytes_per_rank * told.pattern.ranks;
  std::string text =
      line("a call", bytes_text(bytes) + " in a range of " + bytes_text(told.shape.range.length()) +
                         " (" + number(touched_percent(told), 0) + "% of it)");
  if (told.pattern.collective) {
    const auto& summary = told.summary;
    text +=
        line("census", std::to_string(summary.exchanging) + " of " +
                           plural(told.pattern.ranks, "rank") + " in need of help; their ranges " +
                           (summary.interleaved() ? "interleave" : "do not interleave") + " (" +
                           bytes_text(summary.hull_bytes) + " in " +
                           bytes_text(summary.range.length()) + ")");
    if (told.cycles > 0) {
      std::string ranks;
      for (size_t i = 0; i < told.aggregators.size() && i < 8; ++i) {
        ranks += (i > 0 ? ", " : "") + std::to_string(told.aggregators[i]);
      }
      ranks += told.aggregators.size() > 8 ? ", ..." : "";
      text += line("aggregators", "ranks " + ranks + "; " + plural(told.cycles, "cycle"));
    }
    return text;
  }
  return text + line("pages", told.has_pages ? "of " + bytes_in_words(told.page_bytes) +
                                                   ", for pieces below " +
                                                   bytes_in_words(told.small_piece_bytes)
                                             : "none for this call");
}

std::string cost_parts(const Cost& cost) {
  return "plan " + ms(cost.plan_ms) + ", exchange " + ms(cost.exchange_ms) + ", storage calls " +
         ms(cost.calls_ms) + ", storage bytes " + ms(cost.bytes_ms);
}

std::string alternative_line(const Alternative& each) {
  const bool plain = each.kind == "phases" || each.kind == "way";
  const std::string what = plain ? each.how : each.kind + " " + each.how;
  return right(ms(each.cost.total_ms), 10) + "  " + what +
         (each.hint.empty() || each.kind == "as a collective call" ? "" : "  [" + each.hint + "]") +
         "\n";
}

Json json_of(const Cost& cost) {
  return {{"total_ms", cost.total_ms},
          {"plan_ms", cost.plan_ms},
          {"exchange_ms", cost.exchange_ms},
          {"calls_ms", cost.calls_ms},
          {"bytes_ms", cost.bytes_ms}};
}

Json json_of(const PatternSpec& pattern, const std::string& call) {
  return {{"calls", call},
          {"ranks", pattern.ranks},
          {"hosts", pattern.hosts},
          {"block_bytes", pattern.block_bytes},
          {"stride_bytes", pattern.stride_bytes},
          {"shift_bytes", pattern.shift_bytes},
          {"count", pattern.count},
          {"times", pattern.times}};
}

Json json_of_numbers(const Explanation& told) {
  Json numbers = {{"bytes", told.shape.bytes_per_rank * told.pattern.ranks},
                  {"range_bytes", told.shape.range.length()}};
  if (told.pattern.collective) {
    numbers["exchanging_ranks"] = told.summary.exchanging;
    numbers["hull_bytes"] = told.summary.hull_bytes;
    numbers["interleaved"] = told.summary.interleaved();
    numbers["aggregators"] = told.aggregators;
    numbers["cycles"] = told.cycles;
  } else {
    numbers["pages"] = told.has_pages;
    numbers["page_bytes"] = told.page_bytes;
    numbers["small_piece_bytes"] = told.small_piece_bytes;
  }
  return numbers;
}

}  // namespace

std::string layout_text(const std::string& path, const Layout& layout) {
  if (!layout.striped) {
    return path + ": plain file system, blocks of " + bytes_in_words(layout.stripe_bytes);
  }
  const std::string kind =
      layout.file_system == FileSystem::kPlain ? "" : std::string(name(layout.file_system)) + ", ";
  return path + ": " + kind + "stripes of " + bytes_in_words(layout.stripe_bytes) + " over " +
         plural(layout.targets, "target");
}

std::string explanation_text(const Explanation& told) {
  std::string text = pattern_text(told) + line("decision", told.how) + line("because", told.why) +
                     numbers_of(told);
  const auto& chosen = told.alternatives.front();
  text += line("predicted", ms(chosen.cost.total_ms) + " ms a call: " + cost_parts(chosen.cost));
  text += "alternatives, ms a call as a simple model predicts them (nothing was measured):\n";
  for (size_t i = 1; i < told.alternatives.size(); ++i) {
    text += alternative_line(told.alternatives[i]);
  }
  return text;
}

std::string explanation_json(const std::string& path, const Layout& layout, const Explanation& told,
                             const Profile& profile) {
  Json document = {{"note", "costs are predictions of a model, not measurements"},
                   {"layout",
                    {{"path", path},
                     {"striped", layout.striped},
                     {"stripe_bytes", layout.stripe_bytes},
                     {"targets", layout.targets}}},
                   {"pattern", json_of(told.pattern, told.call)},
                   {"decision", {{"call", told.call}, {"how", told.how}, {"why", told.why}}},
                   {"numbers", json_of_numbers(told)}};
  for (const auto& each : told.alternatives) {
    document["alternatives"].push_back({{"kind", each.kind},
                                        {"how", each.how},
                                        {"hint", each.hint},
                                        {"predicted", json_of(each.cost)}});
  }
  for (const auto& [key, value] : values_of(profile)) {
    document["profile"][key] = value;
  }
  return document.dump(2) + "\n";
}

}  // namespace longshore::cli
