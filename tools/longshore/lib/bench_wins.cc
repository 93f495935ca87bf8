#include "lib/bench_wins.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

namespace longshore::cli {
namespace {

struct Entry {
  std::string value;
  const SummaryRow* row = nullptr;
};

// Everything but the value of the one hint.
using ContestId =
    std::tuple<std::string, std::string, int, std::string, std::string, MpiKind, std::string>;
using Contests = std::map<ContestId, std::vector<Entry>>;

std::vector<std::pair<std::string, std::string>> hints_of(const SummaryRow& row) {
  std::vector<std::pair<std::string, std::string>> hints;
  std::istringstream words(row.variant);
  for (std::string word; words >> word;) {
    if (const auto equals = word.find('='); equals != std::string::npos) {
      hints.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
  }
  return hints;
}

std::string others_of(const std::vector<std::pair<std::string, std::string>>& hints,
                      const std::string& key) {
  std::string text;
  for (const auto& [name, value] : hints) {
    text += name == key ? "" : name + "=" + value + " ";
  }
  return text;
}

ValueWins& place_for(std::vector<ValueWins>& all, const std::string& key, const Entry& entry) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const ValueWins& one) {
    return one.key == key && one.value == entry.value && one.mpi == entry.row->mpi &&
           one.op == entry.row->op;
  });
  if (found != all.end()) {
    return *found;
  }
  return all.emplace_back(ValueWins{key, entry.value, entry.row->mpi, entry.row->op, 0, 0, 0});
}

// The fastest entry; the end if none has run.
std::vector<Entry>::const_iterator fastest(const std::vector<Entry>& entries) {
  const auto best = std::max_element(
      entries.begin(), entries.end(),
      [](const Entry& a, const Entry& b) { return a.row->ours.median < b.row->ours.median; });
  return best->row->ours.runs > 0 ? best : entries.end();
}

void decide(const std::string& key, const std::vector<Entry>& entries,
            std::vector<ValueWins>& all) {
  const auto best = fastest(entries);
  if (entries.size() < 2 || best == entries.end()) {
    return;
  }
  for (const auto& entry : entries) {
    ++place_for(all, key, entry).contests;
  }
  auto& winner = place_for(all, key, *best);
  ++winner.wins;
  const bool clear = std::all_of(entries.begin(), entries.end(), [&](const Entry& other) {
    return &other == &*best || other.row->ours.max < best->row->ours.min;
  });
  winner.clear += clear ? 1 : 0;
}

}  // namespace

std::vector<ValueWins> count_wins(const std::vector<SummaryRow>& rows) {
  Contests contests;
  std::vector<ValueWins> all;
  std::vector<std::string> keys;
  for (const auto& row : rows) {
    const auto hints = hints_of(row);
    for (const auto& [key, value] : hints) {
      const Entry entry{value, &row};
      place_for(all, key, entry);
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
      contests[{key, row.workload, row.ranks, row.dir, row.op, row.mpi, others_of(hints, key)}]
          .push_back(entry);
    }
  }
  for (const auto& [id, entries] : contests) {
    decide(std::get<0>(id), entries, all);
  }
  std::stable_sort(all.begin(), all.end(), [&](const ValueWins& a, const ValueWins& b) {
    return std::find(keys.begin(), keys.end(), a.key) < std::find(keys.begin(), keys.end(), b.key);
  });
  return all;
}

}  // namespace longshore::cli
