#include "lib/bench_plot.h"

#include <algorithm>
#include <cstdio>

#include "lib/bench_summary.h"

namespace longshore::cli {
namespace {

constexpr int kPanelWidth = 560;
constexpr int kPanelHeight = 300;
constexpr double kDrawSeconds = 60;
constexpr const char* kSvg = ".svg";
constexpr const char* kPng = ".png";

constexpr const char* kStyle = R"(
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set boxwidth 0.92
set grid ytics lc rgb '#dddddd'
set border 3 lc rgb '#666666'
set xtics nomirror rotate by -35 scale 0 font ',10'
set ytics nomirror font ',10'
set ylabel 'MB/s' font ',10'
set yrange [0:*]
set offsets 0, 0, graph 0.1, 0
set key above right horizontal font ',9' samplen 1
set linetype 1 lc rgb '#b0b0b0'
set linetype 2 lc rgb '#1f6fb4'
set linetype 3 lc rgb '#f0d5a8'
)";

struct Panel {
  MpiKind mpi = MpiKind::kOpenMpi;
  int ranks = 0;
  std::string dir;
  std::string op;
};

template <typename T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) {
    list.push_back(value);
  }
}

// What the panels are made of, in order.
struct Axes {
  std::vector<std::pair<MpiKind, int>> rows;
  std::vector<std::pair<std::string, std::string>> columns;
  std::string variant;
};

Axes axes_of(const std::vector<SummaryRow>& rows) {
  Axes axes;
  for (const auto& row : rows) {
    add_once(axes.rows, {row.mpi, row.ranks});
    add_once(axes.columns, {row.dir, row.op});
  }
  std::sort(axes.rows.begin(), axes.rows.end());
  axes.variant = rows.empty() ? std::string(kOurs) : rows.front().variant;
  return axes;
}

std::vector<const SummaryRow*> rows_in(const std::vector<SummaryRow>& rows, const Panel& panel,
                                       const std::string& variant) {
  std::vector<const SummaryRow*> found;
  for (const auto& row : rows) {
    if (row.mpi == panel.mpi && row.ranks == panel.ranks && row.dir == panel.dir &&
        row.op == panel.op && row.variant == variant) {
      found.push_back(&row);
    }
  }
  return found;
}

std::string value(const SpeedCell& cell) {
  return cell.runs > 0 ? std::to_string(cell.median) : "NaN";
}

// "2.1x" to stand over the bars of a workload.
std::string ratio_text(const SummaryRow& row) {
  const auto ratio = ratio_of(row.ours, row.stock);
  if (!ratio) {
    return row.stock.wanted && row.stock.runs == 0 ? "stock: none" : "";
  }
  char text[32];
  std::snprintf(text, sizeof text, *ratio < 9.95 ? "%.1fx" : "%.0fx", *ratio);
  return text;
}

// Columns: name, stock, ours, limit, ours to stock in words.
std::string data_block(const std::string& block_name, const std::vector<const SummaryRow*>& rows) {
  std::string text = "$" + block_name + " << END\n";
  for (const auto* row : rows) {
    text += "\"" + row->label + "\" " + value(row->stock) + " " + value(row->ours) + " " +
            value(row->limit) + " \"" + ratio_text(*row) + "\"\n";
  }
  return text + "END\n";
}

// The middle one of three bars stands over its workload's number: the words go there.
std::string panel_text(const Panel& panel, const std::string& block, size_t workloads) {
  return "set title \"" + std::string(name(panel.mpi)) + ", " + std::to_string(panel.ranks) +
         " ranks, " + panel.op + ", " + panel.dir +
         "\" font ',12'\nset xrange [-0.6:" + std::to_string(static_cast<double>(workloads) - 0.4) +
         "]\nplot $" + block +
         " using 2:xtic(1) title 'stock', '' using 3 title 'Longshore', '' using 4 title "
         "'limit', " +
         "'' using 0:3:5 with labels offset 0,0.5 font ',9' tc rgb '#0b4a80' notitle\n";
}

std::string terminal(const std::filesystem::path& file, size_t columns, size_t rows) {
  const auto size =
      std::to_string(columns * kPanelWidth) + "," + std::to_string(rows * kPanelHeight + 40);
  const std::string kind = file.extension() == kPng ? "pngcairo" : "svg";
  return "set terminal " + kind + " size " + size +
         " font 'Sans,11' background '#ffffff' noenhanced\n";
}

std::string gnuplot_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? "''" : std::string(1, c);
  }
  return result + "'";
}

std::string script_of(const std::filesystem::path& file) { return file.string() + ".gp"; }

Result<std::filesystem::path> gnuplot_for(const System& system, const std::filesystem::path& file) {
  if (file.extension() != kSvg && file.extension() != kPng) {
    return fail(ErrorClass::kInvalidArgument, file.string() + ": a plot ends in .svg or .png");
  }
  auto gnuplot = system.find_program("gnuplot");
  if (!gnuplot) {
    return fail(ErrorClass::kNoSuchFile, "no gnuplot for --plot (Debian: gnuplot-nox)");
  }
  return *gnuplot;
}

}  // namespace

std::string plot_script(const std::vector<RunRecord>& records, const std::filesystem::path& file) {
  const auto rows = summarize(records);
  const auto axes = axes_of(rows);
  std::string blocks;
  std::string panels;
  int count = 0;
  for (const auto& [mpi, ranks] : axes.rows) {
    for (const auto& [dir, op] : axes.columns) {
      const Panel panel{mpi, ranks, dir, op};
      const auto found = rows_in(rows, panel, axes.variant);
      if (found.empty()) {
        panels += "set multiplot next\n";
        continue;
      }
      const auto block_name = "panel" + std::to_string(count++);
      blocks += data_block(block_name, found);
      panels += panel_text(panel, block_name, found.size());
    }
  }
  return terminal(file, axes.columns.size(), axes.rows.size()) + "set output " +
         gnuplot_quoted(file.string()) + "\n" + kStyle + blocks + "set multiplot layout " +
         std::to_string(axes.rows.size()) + "," + std::to_string(axes.columns.size()) +
         " title \"longshore bench: medians; over the bars " + axes.variant +
         " to stock\\n\" font ',14'\n" + panels + "unset multiplot\n";
}

Status check_plot(const System& system, const std::filesystem::path& file) {
  if (const auto gnuplot = gnuplot_for(system, file); !gnuplot) {
    return fail(gnuplot.error());
  }
  if (auto ok = check_writable("--plot", file); !ok) {
    return ok;
  }
  return check_replaceable("--plot", script_of(file));
}

Status draw_plot(const System& system, BenchHost& host, const std::vector<RunRecord>& records,
                 const std::filesystem::path& file) {
  const auto gnuplot = gnuplot_for(system, file);
  if (!gnuplot) {
    return fail(gnuplot.error());
  }
  const auto script = script_of(file);
  if (auto ok = host.write_file(script, plot_script(records, file)); !ok) {
    return ok;
  }
  const auto drawn = host.run({{gnuplot->string(), script}, {}, kDrawSeconds});
  if (drawn.exit_code != 0) {
    return fail(ErrorClass::kIo, "gnuplot " + script + ": " + drawn.errors);
  }
  return {};
}

}  // namespace longshore::cli
