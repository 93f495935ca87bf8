// lib/bench_plot.h - a benchmark's figures as a picture, drawn by gnuplot.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "lib/bench_host.h"
#include "lib/bench_types.h"
#include "lib/system.h"

namespace longshore::cli {

// A gnuplot script, data included: a row of panels per MPI and number of ranks, a column per
// directory and direction; in each panel bars of stock, Longshore and the limit per workload.
// `file` ends in .svg or .png. Of a sweep, the first variant is drawn.
[[nodiscard]] std::string plot_script(const std::vector<RunRecord>& records,
                                      const std::filesystem::path& file);

// Whether there can be a plot. Fails with kInvalidArgument for another suffix and for files that
// cannot be written, with kNoSuchFile if there is no gnuplot.
[[nodiscard]] Status check_plot(const System& system, const std::filesystem::path& file);

// Writes the script beside `file`, with .gp added to its name, and draws. Fails with
// kInvalidArgument for another suffix, with kNoSuchFile if there is no gnuplot, with kIo if it
// fails.
[[nodiscard]] Status draw_plot(const System& system, BenchHost& host,
                               const std::vector<RunRecord>& records,
                               const std::filesystem::path& file);

}  // namespace longshore::cli
