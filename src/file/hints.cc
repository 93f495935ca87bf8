#include "file/hints.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

namespace longshore {

namespace {

constexpr int64_t kLargestBuffer = int64_t{1} << 30;  // one message carries at most this

constexpr int64_t kMostPrefetchRanges = 64;

std::optional<int64_t> number(const std::string& text) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

struct Hint {
  const char* name;
  // False if the value is bad.
  std::function<bool(Hints&, const std::string&)> set;
  std::function<std::string(const Hints&)> get;
};

// A whole number in [least, most], kept in the place that `at` names.
template <typename Place>
Hint number_hint(const char* name, int64_t least, int64_t most, Place at) {
  using Field = std::remove_reference_t<decltype(at(std::declval<Hints&>()))>;
  return {name,
          [=](Hints& hints, const std::string& text) {
            const auto value = number(text);
            if (!value || *value < least || *value > most) {
              return false;
            }
            at(hints) = static_cast<Field>(*value);
            return true;
          },
          [=](const Hints& hints) { return std::to_string(at(const_cast<Hints&>(hints))); }};
}

// One of a few words, each standing for a value.
template <typename Place, typename Value>
Hint word_hint(const char* name, std::vector<std::pair<std::string, Value>> words, Place at) {
  return {name,
          [=](Hints& hints, const std::string& text) {
            for (const auto& [word, value] : words) {
              if (word == text) {
                at(hints) = value;
                return true;
              }
            }
            return false;
          },
          [=](const Hints& hints) -> std::string {
            for (const auto& [word, value] : words) {
              if (at(const_cast<Hints&>(hints)) == value) {
                return word;
              }
            }
            return "";
          }};
}

// How many ranges are read at once while others are fetched, or "automatic".
bool set_prefetch(Hints& hints, const std::string& text) {
  const auto value = text == "automatic" ? PrefetchTerms::kAutomatic : number(text);
  if (!value || (text != "automatic" && (*value < 0 || *value > kMostPrefetchRanges))) {
    return false;
  }
  hints.independent.prefetch.max_ranges = *value;
  return true;
}

std::string prefetch(const Hints& hints) {
  const int64_t ranges = hints.independent.prefetch.max_ranges;
  return ranges == PrefetchTerms::kAutomatic ? "automatic" : std::to_string(ranges);
}

Hint fixed_hint(const char* name, std::string only) {
  return {name, [=](Hints&, const std::string& text) { return text == only; },
          [=](const Hints&) { return only; }};
}

// "*:N" or "*:*": at most N aggregators per node. Names of hosts are not taken.
bool set_config_list(Hints& hints, const std::string& text) {
  if (text == "*:*" || text == "*") {
    hints.collective.aggregators_per_node = text == "*" ? 1 : 0;
    return true;
  }
  const auto per_node = text.rfind("*:", 0) == 0 ? number(text.substr(2)) : std::nullopt;
  if (!per_node || *per_node < 1 || *per_node > INT32_MAX) {
    return false;
  }
  hints.collective.aggregators_per_node = static_cast<int>(*per_node);
  return true;
}

std::string config_list(const Hints& hints) {
  const int per_node = hints.collective.aggregators_per_node;
  return per_node == 0 ? "*:*" : "*:" + std::to_string(per_node);
}

// collective_buffering=true|false is the standard's word for both directions.
bool set_collective_buffering(Hints& hints, const std::string& text) {
  if (text != "true" && text != "false") {
    return false;
  }
  const Choice choice = text == "true" ? Choice::kEnable : Choice::kDisable;
  hints.collective.collective_read = choice;
  hints.collective.collective_write = choice;
  return true;
}

std::string collective_buffering(const Hints& hints) {
  return hints.collective.collective_write == Choice::kDisable ? "false" : "true";
}

// MPI-IO/GPFS's word for longshore_sparse.
bool set_ibm_sparse(Hints& hints, const std::string& text) {
  if (text != "true" && text != "false") {
    return false;
  }
  hints.collective.sparse = text == "true" ? Choice::kEnable : Choice::kDisable;
  return true;
}

Hint exchange_hint() {
  return word_hint(
      "longshore_exchange",
      std::vector<std::pair<std::string, ExchangeChoice>>{
          {"automatic", ExchangeChoice::kAutomatic},
          {"shm", ExchangeChoice::kShm},
          {"two_sided", ExchangeChoice::kTwoSided},
          {"rma_fence", ExchangeChoice::kRmaFence},
          {"rma_lock", ExchangeChoice::kRmaLock},
          {"shm+two_sided", ExchangeChoice::kShm},
          {"shm+rma_fence", ExchangeChoice::kShmRmaFence},
          {"shm+rma_lock", ExchangeChoice::kShmRmaLock},
          {"shm+gathered", ExchangeChoice::kShmGathered}},
      [](Hints & h) -> auto& { return h.collective.exchange; });
}

std::vector<Hint> collective_hints() {
  const std::vector<std::pair<std::string, Choice>> choices{{"automatic", Choice::kAutomatic},
                                                            {"enable", Choice::kEnable},
                                                            {"disable", Choice::kDisable}};
  return {
      {"collective_buffering", set_collective_buffering, collective_buffering},
      word_hint(
          "romio_cb_read", choices,
          [](Hints & h) -> auto& { return h.collective.collective_read; }),
      word_hint(
          "romio_cb_write", choices,
          [](Hints & h) -> auto& { return h.collective.collective_write; }),
      {"IBM_sparse_access", set_ibm_sparse,
       [](const Hints& hints) {
         return hints.collective.sparse == Choice::kEnable ? "true" : "false";
       }},
      number_hint(
          "longshore_targets_per_aggregator", 1, INT32_MAX,
          [](Hints & h) -> auto& { return h.collective.targets_per_aggregator; }),
      word_hint(
          "longshore_sparse", choices, [](Hints & h) -> auto& { return h.collective.sparse; }),
      number_hint(
          "cb_buffer_size", 1, kLargestBuffer,
          [](Hints & h) -> auto& { return h.collective.buffer_bytes; }),
      number_hint(
          "cb_nodes", 1, INT32_MAX, [](Hints & h) -> auto& { return h.collective.aggregators; }),
      {"cb_config_list", set_config_list, config_list},
      word_hint(
          "longshore_partition",
          std::vector<std::pair<std::string, PartitionChoice>>{
              {"automatic", PartitionChoice::kAutomatic},
              {"even", PartitionChoice::kEven},
              {"aligned", PartitionChoice::kAligned},
              {"cyclic", PartitionChoice::kCyclic},
              {"one_to_k", PartitionChoice::kOneToK}},
          [](Hints & h) -> auto& { return h.collective.partition; }),
      exchange_hint(),
      word_hint(
          "longshore_pipeline",
          std::vector<std::pair<std::string, PipelineChoice>>{
              {"automatic", PipelineChoice::kAutomatic},
              {"none", PipelineChoice::kNone},
              {"comm", PipelineChoice::kComm},
              {"write", PipelineChoice::kWrite},
              {"write_comm", PipelineChoice::kWriteComm},
              {"write_comm_2", PipelineChoice::kWriteComm2}},
          [](Hints & h) -> auto& { return h.collective.pipeline; }),
  };
}

std::vector<Hint> independent_hints() {
  const std::vector<std::pair<std::string, Sieving>> choices{{"automatic", Sieving::kAutomatic},
                                                             {"enable", Sieving::kEnable},
                                                             {"disable", Sieving::kDisable}};
  return {
      word_hint(
          "romio_ds_read", choices, [](Hints & h) -> auto& { return h.independent.read; }),
      word_hint(
          "romio_ds_write", choices, [](Hints & h) -> auto& { return h.independent.write; }),
      number_hint(
          "ind_rd_buffer_size", 1, kLargestBuffer,
          [](Hints & h) -> auto& { return h.independent.read_buffer_bytes; }),
      number_hint(
          "ind_wr_buffer_size", 1, kLargestBuffer,
          [](Hints & h) -> auto& { return h.independent.write_buffer_bytes; }),
      number_hint(
          "read_density", 0, 100,
          [](Hints & h) -> auto& { return h.independent.read_density_percent; }),
      number_hint(
          "write_density", 0, 100,
          [](Hints & h) -> auto& { return h.independent.write_density_percent; }),
      word_hint(
          "use_only_contig_io",
          std::vector<std::pair<std::string, bool>>{{"true", true}, {"false", false}},
          [](Hints & h) -> auto& { return h.independent.only_contiguous; }),
      {"longshore_prefetch", set_prefetch, prefetch},
  };
}

constexpr std::string_view kRanks = "ranks:";

// Each once; nothing if one is no rank, or if they are too many.
std::optional<AgentRanks> rank_list(const std::string& text) {
  std::vector<int> ranks;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const auto rank = number(text.substr(begin, end - begin));
    if (!rank || *rank < 0 || *rank > INT32_MAX) {
      return std::nullopt;
    }
    ranks.push_back(static_cast<int>(*rank));
    begin = end + 1;
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.size() > AgentRanks::kMost) {
    return std::nullopt;
  }
  AgentRanks list;
  std::copy(ranks.begin(), ranks.end(), list.ranks.begin());
  list.count = static_cast<int32_t>(ranks.size());
  return list;
}

// "all", "nodes" (one per node), how many, or which: "ranks:0,4,8".
bool set_agents(Hints& hints, const std::string& text) {
  const bool listed = text.starts_with(kRanks);
  const auto ranks = listed ? rank_list(text.substr(kRanks.size())) : AgentRanks();
  const bool named = listed || text == "all";
  const auto count = named             ? 0
                     : text == "nodes" ? std::optional<int64_t>(WriteBehindOptions::kOnePerNode)
                                       : number(text);
  const bool counted = !named && text != "nodes";
  if (!ranks || !count || (counted && (*count < 1 || *count > INT32_MAX))) {
    return false;
  }
  hints.write_behind.agents = static_cast<int>(*count);
  hints.write_behind.agent_ranks = *ranks;
  return true;
}

std::string agents(const Hints& hints) {
  const int count = hints.write_behind.agents;
  if (hints.write_behind.agent_ranks.count == 0) {
    return count == 0                                 ? "all"
           : count == WriteBehindOptions::kOnePerNode ? "nodes"
                                                      : std::to_string(count);
  }
  std::string text(kRanks);
  for (const int rank : hints.write_behind.agent_ranks.all()) {
    text += (text.size() > kRanks.size() ? "," : "") + std::to_string(rank);
  }
  return text;
}

std::vector<Hint> write_behind_hints() {
  constexpr int64_t kSmallestPage = 4096;
  return {
      word_hint(
          "longshore_write_behind",
          std::vector<std::pair<std::string, WriteBehindKind>>{
              {"automatic", WriteBehindKind::kAutomatic},
              {"two_stage", WriteBehindKind::kTwoStage},
              {"one_stage", WriteBehindKind::kOneStage},
              {"off", WriteBehindKind::kOff}},
          [](Hints & h) -> auto& { return h.write_behind.kind; }),
      number_hint(
          "longshore_page_size", kSmallestPage, kLargestBuffer,
          [](Hints & h) -> auto& { return h.write_behind.page_bytes; }),
      number_hint(
          "longshore_cache_size", kSmallestPage, int64_t{1} << 40,
          [](Hints & h) -> auto& { return h.write_behind.cache_bytes; }),
      number_hint(
          "longshore_subbuffer_size", kSmallestPage, kLargestBuffer,
          [](Hints & h) -> auto& { return h.write_behind.subbuffer_bytes; }),
      {"longshore_agents", set_agents, agents},
  };
}

// Numbers of GPFS' nodes, in turn: "3,1,2".
bool set_gpfs_agents(Hints& hints, const std::string& text) {
  std::vector<int32_t> agents;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const auto node = number(text.substr(begin, end - begin));
    if (!node || *node < 1 || *node > INT32_MAX || agents.size() == ShippingWish::kMostAgents) {
      return false;
    }
    agents.push_back(static_cast<int32_t>(*node));
    begin = end + 1;
  }
  hints.shipping.agents = std::move(agents);
  return true;
}

std::string gpfs_agents(const Hints& hints) {
  std::string text;
  for (const int32_t node : hints.shipping.agents) {
    text += (text.empty() ? "" : ",") + std::to_string(node);
  }
  return text.empty() ? "automatic" : text;
}

std::vector<Hint> file_hints() {
  return {
      number_hint(
          "striping_unit", 1, int64_t{1} << 40,
          [](Hints & h) -> auto& { return h.collective.stripe_bytes; }),
      number_hint(
          "striping_factor", 1, INT32_MAX, [](Hints & h) -> auto& { return h.striping_factor; }),
      number_hint(
          "start_iodevice", -1, INT32_MAX, [](Hints & h) -> auto& { return h.start_iodevice; }),
      word_hint(
          "longshore_storage",
          std::vector<std::pair<std::string, std::string>>{
              {"auto", "auto"}, {"posix", "posix"}, {"io_uring", "io_uring"}},
          [](Hints & h) -> auto& { return h.storage; }),
      word_hint(
          "longshore_gpfs_data_shipping",
          std::vector<std::pair<std::string, bool>>{{"enable", true}, {"disable", false}},
          [](Hints & h) -> auto& { return h.shipping.wanted; }),
      {"longshore_gpfs_agents", set_gpfs_agents, gpfs_agents},
      // Writes of one process are seen by another as soon as the call returns (no client cache).
      fixed_hint("romio_visibility_immediate", "true"),
  };
}

const std::vector<Hint>& table() {
  static const auto* all = [] {
    auto* hints = new std::vector<Hint>(collective_hints());
    for (auto& hint : independent_hints()) {
      hints->push_back(hint);
    }
    for (auto& hint : write_behind_hints()) {
      hints->push_back(hint);
    }
    for (auto& hint : file_hints()) {
      hints->push_back(hint);
    }
    return hints;
  }();
  return *all;
}

bool is_passive(const std::string& name) {
  static const std::vector<std::string> names{
      "access_style", "cb_block_size", "chunked", "chunked_item", "chunked_size",     "filename",
      "file_perm",    "io_node_list",  "nb_proc", "num_io_nodes", "romio_no_indep_rw"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

HintMap split_pairs(const std::string& text) {
  HintMap pairs;
  std::istringstream all(text);
  for (std::string pair; std::getline(all, pair, ';');) {
    if (const auto equals = pair.find('='); equals != std::string::npos) {
      pairs[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
  }
  return pairs;
}

HintMap read_hint_file(const char* path) {
  HintMap pairs;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key;
    std::string value;
    if (words >> key >> value && key[0] != '#') {
      pairs.emplace(key, value);  // of two lines for one hint the first counts, as in ROMIO
    }
  }
  return pairs;
}

}  // namespace

void Hints::apply(const HintMap& pairs, std::vector<std::string>& complaints) {
  for (const auto& [name, value] : pairs) {
    if (is_passive(name)) {
      passive[name] = value;
      continue;
    }
    for (const auto& hint : table()) {
      if (name == hint.name && !hint.set(*this, value)) {
        complaints.push_back("hint " + name + ": value '" + value + "' ignored");
      }
    }
  }
}

HintMap Hints::effective() const {
  HintMap all = passive;
  for (const auto& hint : table()) {
    all[hint.name] = hint.get(*this);
  }
  return all;
}

Hints hints_from_environment(std::vector<std::string>& complaints) {
  Hints hints;
  if (const char* path = std::getenv("ROMIO_HINTS")) {
    hints.apply(read_hint_file(path), complaints);
  }
  if (const char* text = std::getenv("LONGSHORE_PREFETCH")) {
    hints.apply({{"longshore_prefetch", text}}, complaints);
  }
  if (const char* text = std::getenv("LONGSHORE_HINTS")) {
    hints.apply(split_pairs(text), complaints);
  }
  return hints;
}

}  // namespace longshore
