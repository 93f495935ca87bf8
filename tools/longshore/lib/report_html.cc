#include "lib/report_html.h"

#include <algorithm>

#include "lib/bench_text.h"

namespace longshore::cli {
namespace {

constexpr size_t kMostOpenCharts = 8;
constexpr size_t kMostOpenRows = 24;  // on a phone, a row is as long as the screen is high

std::string attribute(const std::string& key, const std::string& value) {
  return " " + key + "=\"" + escape_html(value) + "\"";
}

std::string section_id(size_t index) { return "part" + std::to_string(index + 1); }

std::string render_cell(const HtmlCell& cell, const HtmlTable::Column& column) {
  std::string html = "<td" + attribute("data-label", column.title);
  if (column.number) {
    html += " class=\"number\"";
  }
  if (cell.value) {
    html += attribute("data-value", number(*cell.value, 9));
  }
  html += ">";
  html += cell.mark.empty() ? "<span>" + escape_html(cell.text) + "</span>"
                            : "<span" + attribute("class", "verdict " + cell.mark) + ">" +
                                  escape_html(cell.text) + "</span>";
  return html + "</td>";
}

bool says_nothing(const HtmlCell& cell) { return cell.text.empty() || cell.text == "-"; }

HtmlTable without_empty_columns(HtmlTable table) {
  for (size_t i = table.columns.size(); i-- > 0;) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(),
                                   [&](const auto& row) { return says_nothing(row[i]); });
    if (empty) {
      const auto at = static_cast<ptrdiff_t>(i);
      table.columns.erase(table.columns.begin() + at);
      for (auto& row : table.rows) {
        row.erase(row.begin() + at);
      }
    }
  }
  return table;
}

std::string_view css_class(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kGood: return " class=\"good\"";
    case Finding::Kind::kBad: return " class=\"bad\"";
    case Finding::Kind::kUnsure: return " class=\"unsure\"";
    case Finding::Kind::kLead:
    case Finding::Kind::kPlain: break;
  }
  return "";
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  }
  return safe;
}

void PageBody::section(const std::string& title) {
  html_ += "<h2 id=\"" + section_id(sections_.size()) + "\">" + escape_html(title) + "</h2>\n";
  sections_.push_back(title);
}

void PageBody::heading(const std::string& text) { html_ += "<h3>" + escape_html(text) + "</h3>\n"; }

void PageBody::paragraph(const std::string& text) { html_ += "<p>" + escape_html(text) + "</p>\n"; }

void PageBody::note(const std::string& text) {
  html_ += "<p class=\"note\">" + escape_html(text) + "</p>\n";
}

void PageBody::table(const HtmlTable& full) {
  const auto table = without_empty_columns(full);
  const bool long_one = table.rows.size() > kMostOpenRows;
  if (long_one) {
    begin_fold("Table of " + std::to_string(table.rows.size()) + " rows");
  }
  html_ += "<div class=\"table\" role=\"region\" tabindex=\"0\"" +
           attribute("aria-label", table.caption) + "><table class=\"sortable\">\n<caption>" +
           escape_html(table.caption) + "</caption>\n<thead><tr>";
  for (const auto& column : table.columns) {
    html_ += std::string("<th scope=\"col\"") + (column.number ? " class=\"number\"" : "") + ">" +
             escape_html(column.title) + "</th>";
  }
  html_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html_ += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      html_ += render_cell(row[i], table.columns[i]);
    }
    html_ += "</tr>\n";
  }
  html_ += "</tbody></table></div>\n";
  if (long_one) {
    end_fold();
  }
}

void PageBody::chart(const std::string& title, const std::string& words, Chart chart) {
  html_ += "<figure data-chart=\"" + std::to_string(charts_.size()) + "\"><h4>" +
           escape_html(title) + "</h4><div class=\"plot\" role=\"img\"" +
           attribute("aria-label", title + ". " + words) + "></div><figcaption>" +
           escape_html(words) + "</figcaption></figure>\n";
  charts_.push_back(std::move(chart));
}

void PageBody::chart_grid(std::vector<std::pair<std::string, Chart>> charts,
                          const std::string& words) {
  const bool many = charts.size() > kMostOpenCharts;
  html_ += "<div class=\"grid\">\n";
  for (size_t i = 0; i < charts.size(); ++i) {
    if (i == kMostOpenCharts) {
      html_ += "</div>\n";
      begin_fold(std::to_string(charts.size() - i) + " more charts");
      html_ += "<div class=\"grid\">\n";
    }
    chart(charts[i].first, words, std::move(charts[i].second));
  }
  html_ += "</div>\n";
  if (many) {
    end_fold();
  }
}

void PageBody::begin_fold(const std::string& title) {
  html_ += "<details><summary>" + escape_html(title) + "</summary>\n";
}
void PageBody::end_fold() { html_ += "</details>\n"; }

std::string PageBody::contents() const {
  std::string html = "<nav aria-label=\"Contents\"><ul>\n";
  for (size_t i = 0; i < sections_.size(); ++i) {
    html += "<li><a href=\"#" + section_id(i) + "\">" + escape_html(sections_[i]) + "</a></li>\n";
  }
  return html + "</ul></nav>\n";
}

std::string render_findings(const std::vector<Finding>& findings) {
  std::string html;
  bool in_list = false;
  for (const auto& finding : findings) {
    const bool lead = finding.kind == Finding::Kind::kLead;
    if (lead == in_list) {
      html += lead ? "</ul>\n" : "<ul>\n";
      in_list = !lead;
    }
    const std::string text = escape_html(finding.text);
    html += lead ? "<p class=\"lead\">" + text + "</p>\n"
                 : "<li" + std::string(css_class(finding.kind)) + ">" + text + "</li>\n";
  }
  return html + (in_list ? "</ul>\n" : "");
}

}  // namespace longshore::cli
