// lib/report_html.h - the page's parts as HTML. Text is escaped here and nowhere else: everything
// that goes in is plain text.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/report_chart.h"

namespace longshore::cli {

[[nodiscard]] std::string escape_html(std::string_view text);

// Sorted by `value` if there is one, else by the text.
struct HtmlCell {
  HtmlCell(std::string words) : text(std::move(words)) {}  // NOLINT: cells are written as texts
  HtmlCell(const char* words) : text(words) {}             // NOLINT
  HtmlCell(std::string words, double by) : text(std::move(words)), value(by) {}

  std::string text;
  std::optional<double> value;
  std::string mark;  // "pass", "fail" or "undecided": shown as a verdict
};

struct HtmlTable {
  struct Column {
    std::string title;
    bool number = false;
  };
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<HtmlCell>> rows;  // as many cells as columns
};

// One sentence or two of the summary.
struct Finding {
  enum class Kind { kLead, kPlain, kGood, kBad, kUnsure };  // kLead: others follow below it
  Kind kind = Kind::kPlain;
  std::string text;
};

// Puts a page's body together, in the order of the calls.
class PageBody {
 public:
  // A part of the page that the list of contents names.
  void section(const std::string& title);
  void heading(const std::string& text);
  void paragraph(const std::string& text);
  void note(const std::string& text);
  // A long one is folded. Columns that have a "-" or nothing in all rows are left out.
  void table(const HtmlTable& table);
  // `words` say what is to be seen, for those who do not see it, and stand below it for all.
  void chart(const std::string& title, const std::string& words, Chart chart);
  // Charts side by side where there is room, each with its title; all have the same words. Of many,
  // the last ones are folded.
  void chart_grid(std::vector<std::pair<std::string, Chart>> charts, const std::string& words);
  // Between these, everything is hidden until it is asked for.
  void begin_fold(const std::string& title);
  void end_fold();

  [[nodiscard]] const std::vector<Chart>& charts() const { return charts_; }
  [[nodiscard]] const std::string& html() const { return html_; }
  // Links to the sections.
  [[nodiscard]] std::string contents() const;

 private:
  std::string html_;
  std::vector<Chart> charts_;
  std::vector<std::string> sections_;
};

// Paragraphs and lists.
[[nodiscard]] std::string render_findings(const std::vector<Finding>& findings);

}  // namespace longshore::cli
