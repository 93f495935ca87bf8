#include "lib/explain.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <thread>
#include <utility>

#include "advise/advise.h"
#include "advise/describe.h"
#include "advise/paging.h"
#include "independent/way.h"
#include "layout/ceph_probe.h"
#include "layout/striping.h"

namespace longshore::cli {
namespace {

// Ranks fill the hosts one after the other, as launchers do by default.
NodeMap nodes_of(const PatternSpec& spec) {
  NodeMap nodes;
  for (int rank = 0; rank < spec.ranks; ++rank) {
    const auto node = static_cast<int>(int64_t{rank} * spec.hosts / spec.ranks);
    nodes.node_of_rank.push_back(node);
    if (node == nodes.nodes()) {
      nodes.leader_of_node.push_back(rank);
    }
  }
  return nodes;
}

// Rank r's part of the first call: through a view if it has several pieces, else at an offset.
Access access_of(const PatternSpec& spec, int rank) {
  Access access;
  access.kind = spec.reads ? IoKind::kRead : IoKind::kWrite;
  const int64_t begin = rank * spec.shift_bytes;
  if (spec.count == 1) {
    access.view = TiledPattern(0, 1, Pattern::run(1));
    access.first = begin;
  } else {
    access.view = TiledPattern(begin, spec.stride_bytes, Pattern::run(spec.block_bytes));
  }
  access.last = access.first + spec.block_bytes * spec.count;
  access.memory = Pattern::run(access.last - access.first);
  return access;
}

CallShape shape_of(const PatternSpec& spec) {
  const bool dense = spec.stride_bytes == spec.block_bytes;
  CallShape shape;
  shape.kind = spec.reads ? IoKind::kRead : IoKind::kWrite;
  shape.bytes_per_rank = spec.block_bytes * spec.count;
  shape.pieces_per_rank = dense ? 1 : spec.count;
  shape.hull_per_rank = spec.stride_bytes * (spec.count - 1) + spec.block_bytes;
  shape.range = {0, shape.hull_per_rank + spec.shift_bytes * (spec.ranks - 1)};
  return shape;
}

// All that the two kinds of calls have in common.
struct Case {
  explicit Case(const ExplainRequest& asked)
      : request(asked),
        nodes(nodes_of(asked.pattern)),
        cores(asked.pattern.cores > 0
                  ? asked.pattern.cores
                  : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
        one_host(asked.pattern.hosts == 1),
        shape(shape_of(asked.pattern)),
        terrain{nodes, asked.layout, cores, asked.profile} {}

  // What File does: rank by rank, needs_no_help() and share_of().
  [[nodiscard]] Summary census() const {
    Summary summary;
    const std::vector<int> nobody;
    const Site site{nodes, request.layout, nobody};
    for (int rank = 0; rank < request.pattern.ranks; ++rank) {
      const Access access = access_of(request.pattern, rank);
      const bool direct = needs_no_help(access, site, request.hints.collective);
      add(summary, share_of(access, {}, direct));
    }
    return summary;
  }
  [[nodiscard]] Strategy strategy(const Summary& summary, const Preferences& wish) const {
    const auto aggregators = choose_aggregators(nodes, wish, cores);
    return choose_strategy(shape.kind, summary, {nodes, request.layout, aggregators}, wish);
  }
  [[nodiscard]] Cost cost(const Strategy& chosen, Way way) const {
    return chosen.two_phase ? predict_two_phase(shape, terrain, chosen)
                            : predict_alone(shape, terrain, way, 0);
  }
  [[nodiscard]] Way way_without_pages() const {
    IndependentOptions options = request.hints.independent;
    return way_of(access_of(request.pattern, 0), options);
  }

  const ExplainRequest& request;
  NodeMap nodes;
  int cores;
  bool one_host;
  CallShape shape;
  Terrain terrain;
};

using Alternatives = std::vector<Alternative>;

// A call of two phases whatever the pattern, with one hint changed.
void add_two_phase(const Case& one, const Summary& summary, const std::string& kind,
                   std::pair<std::string, std::string> hint, Alternatives& all) {
  Hints hints = one.request.hints;
  std::vector<std::string> ignored;
  hints.apply({hint}, ignored);
  hints.apply({{one.request.pattern.reads ? "romio_cb_read" : "romio_cb_write", "enable"}},
              ignored);
  const Strategy strategy = one.strategy(summary, hints.collective);
  if (!strategy.two_phase) {
    return;
  }
  all.push_back({kind, kind == "phases" ? describe(strategy) : hint.second,
                 hint.first + "=" + hint.second, one.cost(strategy, Way::kDirect)});
}

// Every rank's pieces, whether they would have needed help or not.
Summary all_exchanging(const Case& one) {
  Summary summary;
  for (int rank = 0; rank < one.request.pattern.ranks; ++rank) {
    add(summary, share_of(access_of(one.request.pattern, rank), {}, false));
  }
  return summary;
}

void add_collective(const Case& one, const Strategy& chosen, Alternatives& all) {
  const Summary summary = all_exchanging(one);
  const std::string cb = one.request.pattern.reads ? "romio_cb_read" : "romio_cb_write";
  if (chosen.two_phase) {
    all.push_back({"phases", "every rank for itself", cb + "=disable",
                   predict_alone(one.shape, one.terrain, one.way_without_pages(), 0)});
  } else {
    add_two_phase(one, summary, "phases", {cb, "enable"}, all);
  }
  const auto each = [&](const std::string& kind, const std::vector<std::string>& values,
                        const std::string& current) {
    for (const auto& value : values) {
      if (!chosen.two_phase || value != current) {
        add_two_phase(one, summary, kind, {"longshore_" + kind, value}, all);
      }
    }
  };
  each("partition", {"even", "aligned", "cyclic", "one_to_k"}, name(chosen.partition.kind));
  std::vector<std::string> exchanges{"shm", "two_sided", "rma_fence", "rma_lock"};
  if (!one.one_host) {
    exchanges.emplace_back("shm+gathered");
  }
  each("exchange", exchanges, exchange_name(chosen));
  each("pipeline", {"none", "comm", "write", "write_comm", "write_comm_2"}, name(chosen.pipeline));
}

void explain_collective(const Case& one, Explanation& told) {
  told.summary = one.census();
  const Strategy chosen = one.strategy(told.summary, one.request.hints.collective);
  told.how = describe(chosen);
  told.why = chosen.reason;
  told.aggregators = chosen.aggregators;
  if (chosen.two_phase) {
    const auto partition = Partition::make(told.summary.range, chosen.partition);
    told.cycles = partition ? partition->cycles() : 0;
  }
  told.alternatives.push_back(
      {"as chosen", told.how, "", one.cost(chosen, one.way_without_pages())});
  add_collective(one, chosen, told.alternatives);
}

bool goes_through_pages(const Case& one, Explanation& told) {
  const bool sieves = one.request.hints.independent.write == Sieving::kEnable;
  const auto wished = beside_sieving(one.request.hints.write_behind, sieves);
  const auto options = in_effect(wished, one.request.layout, one.one_host);
  const IoKind kind = one.shape.kind;
  const bool local = pages_are_local(wished, one.request.layout, one.one_host);
  told.has_pages = may_have_pages(wished, one.request.pattern.ranks, one.one_host, true) &&
                   !(kind == IoKind::kRead && reads_go_past_pages(wished, one.one_host));
  told.page_bytes = options.page_bytes;
  told.small_piece_bytes = small_piece_bytes(kind, local, options.page_bytes);
  return told.has_pages &&
         suits_pages(access_of(one.request.pattern, 0), local, options.page_bytes);
}

std::string hint_for(Way way, bool reads) {
  const std::string sieving = reads ? "romio_ds_read" : "romio_ds_write";
  switch (way) {
    case Way::kPages: return "longshore_write_behind=two_stage";
    case Way::kSieve: return sieving + "=enable";
    default: return "longshore_write_behind=off";
  }
}

void explain_independent(const Case& one, Explanation& told) {
  const Way plain = one.way_without_pages();
  const Way chosen = goes_through_pages(one, told) ? Way::kPages : plain;
  told.how = describe(chosen);
  told.why = reason_of(chosen, one.shape.kind);
  told.alternatives.push_back(
      {"as chosen", told.how, "", predict_alone(one.shape, one.terrain, chosen, told.page_bytes)});
  const bool scattered = one.shape.pieces_per_rank > 1;
  const Way unsieved = scattered ? Way::kList : Way::kDirect;
  std::vector<Way> others{unsieved, Way::kPages};
  if (scattered) {
    others.push_back(Way::kSieve);
  }
  for (const Way way : others) {
    if (way != chosen) {
      told.alternatives.push_back({"way", describe(way), hint_for(way, one.request.pattern.reads),
                                   predict_alone(one.shape, one.terrain, way, told.page_bytes)});
    }
  }
  Alternatives together;
  add_two_phase(one, all_exchanging(one), "phases",
                {one.request.pattern.reads ? "romio_cb_read" : "romio_cb_write", "enable"},
                together);
  for (auto& each : together) {
    each.kind = "as a collective call";
    told.alternatives.push_back(std::move(each));
  }
}

}  // namespace

Explanation explain(const ExplainRequest& request) {
  const Case one(request);
  Explanation told;
  told.pattern = request.pattern;
  told.shape = one.shape;
  told.call = std::string(request.pattern.reads ? "read" : "write") +
              (request.pattern.collective ? "_all" : "");
  if (request.pattern.collective) {
    explain_collective(one, told);
  } else {
    explain_independent(one, told);
  }
  std::stable_sort(told.alternatives.begin() + 1, told.alternatives.end(),
                   [](const auto& a, const auto& b) { return a.cost.total_ms < b.cost.total_ms; });
  return told;
}

namespace {

Result<Layout> layout_without_mount(Probe& probe, const std::string& path) {
  if (auto file = probe.open(path); !file) {
    return fail(file.error());
  }
  return read_layout(probe, path);
}

// Letters to be put in, taken out or exchanged.
size_t letters_apart(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({exchanged, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// "did you mean" one that is spelt nearly so, else all there are.
std::string names_instead_of(const std::string& unknown, const HintMap& known) {
  const auto apart = [&](const auto& hint) { return letters_apart(unknown, hint.first); };
  const auto nearest =
      std::min_element(known.begin(), known.end(),
                       [&](const auto& a, const auto& b) { return apart(a) < apart(b); });
  if (nearest != known.end() && apart(*nearest) <= unknown.size() / 3) {
    return "did you mean " + nearest->first + "?";
  }
  std::string all = "there are";
  for (const auto& [name, value] : known) {
    all += " " + name;
  }
  return all;
}

}  // namespace

Result<Layout> layout_of(const std::string& path, const Hints& hints) {
  if (Probe& probe = probe_for(path); &probe != &system_probe()) {
    return layout_without_mount(probe, path);
  }
  struct stat info {};
  const auto folder = std::filesystem::absolute(path).parent_path();
  const bool there = stat(path.c_str(), &info) == 0;
  if (!there && (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))) {
    return fail(ErrorClass::kNoSuchFile, path + ": no such file or folder");
  }
  if (there) {
    Layout found = read_layout(system_probe(), path);
    if (found.file_system != FileSystem::kPlain) {
      return found;
    }
  }
  return plain_layout(std::max<int64_t>(1, info.st_blksize), hints.collective.stripe_bytes,
                      hints.striping_factor);
}

Result<Hints> hints_of(const std::vector<std::string>& pairs) {
  std::vector<std::string> complaints;
  Hints hints = hints_from_environment(complaints);
  complaints.clear();  // the library says nothing of these either
  for (const auto& pair : pairs) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorClass::kInvalidArgument, "--hint " + pair + ": give it as key=value");
    }
    const std::string name = pair.substr(0, equals);
    hints.apply({{name, pair.substr(equals + 1)}}, complaints);
    if (const auto known = hints.effective(); !known.contains(name)) {
      return fail(ErrorClass::kInvalidArgument,
                  "--hint " + pair + ": no such hint; " + names_instead_of(name, known));
    }
  }
  if (!complaints.empty()) {
    return fail(ErrorClass::kInvalidArgument, complaints.front());
  }
  return hints;
}

}  // namespace longshore::cli
