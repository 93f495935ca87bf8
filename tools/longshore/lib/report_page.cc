#include "lib/report_page.h"

#include <vector>

#include "lib/report_assets.h"
#include "lib/report_bench.h"
#include "lib/report_check.h"
#include "lib/report_html.h"
#include "lib/report_profile.h"
#include "lib/report_stats.h"
#include "lib/report_text.h"
#include "lib/report_trace.h"

namespace longshore::cli {
namespace {

// The page's own scripts have it. A script that came in by unescaped text would not, and browsers
// would not run it.
constexpr const char* kNonce = "longshore";

std::vector<Finding> all_findings(const ReportData& data) {
  std::vector<Finding> all;
  const auto add = [&](std::vector<Finding> findings) {
    all.insert(all.end(), findings.begin(), findings.end());
  };
  for (const auto& input : data.check) {
    add(check_findings(input));
  }
  for (const auto& input : data.bench) {
    add(bench_findings(input));
  }
  for (const auto& input : data.stats) {
    add(stats_findings(input));
  }
  for (const auto& input : data.traces) {
    add(trace_findings(input));
  }
  for (const auto& input : data.profiles) {
    add(profile_findings(input));
  }
  return all;
}

void add_sections(const ReportData& data, PageBody& body) {
  for (const auto& input : data.check) {
    add_check_section(input, body);
  }
  for (const auto& input : data.bench) {
    add_bench_section(input, body);
  }
  add_bench_sizes(data.bench, body);
  for (const auto& input : data.stats) {
    add_stats_section(input, body);
  }
  for (const auto& input : data.traces) {
    add_trace_section(input, body);
  }
  for (const auto& input : data.profiles) {
    add_profile_section(input, body);
  }
}

// On which machine each file's figures were made, as far as it says.
std::string machines_html(const ReportData& data) {
  std::string items;
  const auto add = [&](const std::string& source, const auto& facts) {
    items += "<li>" + escape_html(source) + ": " +
             escape_html(facts.empty() ? "the file does not say" : facts_text(facts)) + "</li>\n";
  };
  for (const auto& input : data.check) {
    add(input.source, input.host);
  }
  for (const auto& input : data.bench) {
    add(input.source, input.machine);
  }
  return items.empty() ? "" : "<p>Measured on</p>\n<ul class=\"machines\">\n" + items + "</ul>\n";
}

}  // namespace

std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string filled;
  while (true) {
    const size_t open = text.find("{{");
    const size_t close = open == std::string_view::npos ? open : text.find("}}", open);
    if (close == std::string_view::npos) {
      return filled + std::string(text);
    }
    filled += text.substr(0, open);
    const auto found = values.find(std::string(text.substr(open + 2, close - open - 2)));
    filled += found != values.end() ? std::string_view(found->second)
                                    : text.substr(open, close + 2 - open);
    text.remove_prefix(close + 2);
  }
}

std::string render_page(const ReportData& data, const PageOptions& options) {
  PageBody body;
  add_sections(data, body);
  const std::string summary =
      "<section id=\"summary\" aria-labelledby=\"summary-title\"><h2 id=\"summary-title\">Summary"
      "</h2>\n" +
      render_findings(all_findings(data)) + "</section>\n";
  return fill_template(kPageHtml, {{"title", escape_html(options.title)},
                                   {"when", escape_html(options.when)},
                                   {"version", LONGSHORE_VERSION},
                                   {"nonce", kNonce},
                                   {"machines", machines_html(data)},
                                   {"body", summary + body.contents() + body.html()},
                                   {"charts", charts_to_json(body.charts())},
                                   {"style", std::string(kPageStyle)},
                                   {"script", std::string(kPageScript)},
                                   {"plot", std::string(kPlotScript)},
                                   {"plot_licence", std::string(kPlotLicence)},
                                   {"d3", std::string(kD3Script)},
                                   {"d3_licence", std::string(kD3Licence)}});
}

}  // namespace longshore::cli
