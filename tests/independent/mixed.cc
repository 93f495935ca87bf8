// Small independent reads and writes beside everything else that a program does with files: each
// case is a small program of its own, run with pages as they are by default, with few small ones,
// in both stages, and without.
//
// usage: mixed [--case NAME] [--dir D]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <numeric>

#include "../collective/scratch.h"
#include "mixed.h"

namespace {

using independent_test::HintPairs;
using independent_test::Mixed;
using independent_test::Session;

constexpr int kHangSeconds = 170;

struct Case {
  const char* name;
  void (Mixed::*run)();
};

constexpr Case kCases[] = {
    {"independent_and_collective", &Mixed::independent_and_collective},
    {"several_files", &Mixed::several_files},
    {"communicators_in_turn", &Mixed::communicators_in_turn},
    {"communicators_at_once", &Mixed::communicators_at_once},
    {"opened_with_more_memory", &Mixed::opened_with_more_memory},
    {"two_threads", &Mixed::two_threads},
    {"two_threads_that_read", &Mixed::two_threads_that_read},
    {"computing_rank", &Mixed::computing_rank},
    {"reads_beside_a_flush", &Mixed::reads_beside_a_flush},
    {"writes_beside_a_flush", &Mixed::writes_beside_a_flush},
    {"no_memory_once", &Mixed::no_memory_once},
    {"far_out", &Mixed::far_out},
    {"sync_then_plain_read", &Mixed::sync_then_plain_read},
    {"set_size", &Mixed::set_size},
    {"preallocate", &Mixed::preallocate},
    {"deleted_while_open", &Mixed::deleted_while_open},
    {"atomic_and_back", &Mixed::atomic_and_back},
    {"delete_on_close", &Mixed::delete_on_close},
    {"size_after_writes", &Mixed::size_after_writes},
    {"own_and_others_writes", &Mixed::own_and_others_writes},
    {"shared_pointer", &Mixed::shared_pointer},
    {"small_and_large", &Mixed::small_and_large},
};

const std::vector<HintPairs>& hint_sets() {
  static const std::vector<HintPairs> all = {
      {},
      {{"longshore_write_behind", "two_stage"},
       {"longshore_page_size", "4096"},
       {"longshore_cache_size", "16384"}},
      {{"longshore_write_behind", "one_stage"}, {"longshore_page_size", "8192"}},
      {{"longshore_write_behind", "automatic"},
       {"longshore_page_size", "4096"},
       {"longshore_cache_size", "4096"}},
      {{"longshore_write_behind", "off"}},
  };
  return all;
}

std::string words(const HintPairs& hints) {
  return std::accumulate(hints.begin(), hints.end(), std::string(),
                         [](const std::string& text, const auto& hint) {
                           return text + " " + hint.first + "=" + hint.second;
                         });
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_MULTIPLE;
  Session session(&argc, &argv, kHangSeconds, &level);
  std::string only;
  std::string dir = collective_test::default_directory();
  for (int i = 1; i + 1 < argc; i += 2) {
    (std::strcmp(argv[i], "--case") == 0 ? only : dir) = argv[i + 1];
  }
  const std::string path = collective_test::scratch_path(dir, "mixed");
  const bool known =
      only.empty() || std::any_of(std::begin(kCases), std::end(kCases),
                                  [&](const Case& each) { return only == each.name; });
  session.expect(known, "no such case");
  for (const HintPairs& hints : hint_sets()) {
    for (const Case& each : kCases) {
      if (!only.empty() && only != each.name) {
        continue;
      }
      session.at(each.name + words(hints));
      Mixed mixed(session, path, hints, level == MPI_THREAD_MULTIPLE);
      (mixed.*each.run)();
      mixed.remove_file();
    }
  }
  if (level != MPI_THREAD_MULTIPLE && session.rank() == 0) {
    std::puts("SKIPPED two_threads: this MPI has no MPI_THREAD_MULTIPLE");
  }
  return session.finish();
}
