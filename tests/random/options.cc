#include "options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

namespace random_test {

namespace {

struct Hint {
  const char* key;
  std::vector<const char*> values;
};

const std::vector<Hint>& hints() {
  static const std::vector<Hint> all = {
      {"cb_nodes", {"1", "2", "3", "8"}},
      {"cb_buffer_size", {"1024", "1500", "4096", "65536"}},
      {"striping_unit", {"512", "1024", "4096", "65536"}},
      {"striping_factor", {"1", "2", "3", "5"}},
      {"longshore_storage", {"posix", "io_uring"}},
      {"romio_cb_write", {"enable", "disable", "automatic"}},
      {"romio_cb_read", {"enable", "disable", "automatic"}},
      {"romio_ds_write", {"enable", "disable", "automatic"}},
      {"romio_ds_read", {"enable", "disable", "automatic"}},
      {"ind_wr_buffer_size", {"512", "4096", "524288"}},
      {"ind_rd_buffer_size", {"512", "4096", "4194304"}},
      {"read_density", {"0", "10", "60", "100"}},
      {"write_density", {"0", "10", "60", "100"}},
      {"use_only_contig_io", {"true", "false"}},
      {"longshore_prefetch", {"automatic", "0", "1", "3", "64"}},
      {"romio_no_indep_rw", {"true", "false"}},
      {"collective_buffering", {"true", "false"}},
      {"access_style", {"read_once", "write_mostly,random"}},
      {"longshore_partition", {"automatic", "even", "aligned", "cyclic", "one_to_k"}},
      {"longshore_targets_per_aggregator", {"1", "2", "3"}},
      {"longshore_exchange",
       {"automatic", "shm", "two_sided", "rma_fence", "rma_lock", "shm+two_sided", "shm+rma_fence",
        "shm+rma_lock", "shm+gathered"}},
      {"longshore_pipeline", {"automatic", "none", "comm", "write", "write_comm", "write_comm_2"}},
      {"longshore_sparse", {"automatic", "enable", "disable"}},
      {"longshore_write_behind", {"automatic", "two_stage", "one_stage", "off"}},
      {"longshore_page_size", {"4096", "8192", "65536"}},
      // Down to less than a page: then there is no room for any.
      {"longshore_cache_size", {"4096", "16384", "16384", "65536", "1048576"}},
      {"longshore_subbuffer_size", {"4096", "16384", "65536"}},
      {"longshore_agents", {"all", "nodes", "1", "3", "ranks:1", "ranks:0,2,9"}},
      {"no_such_hint_anywhere", {"7"}},
  };
  return all;
}

const std::set<std::string> kFeatures = {
    "eof",    "pairs",       "bottom",     "rewrite",  "holes",   "internal", "empty", "derived",
    "wild",   "nonblocking", "split",      "shared",   "ordered", "atomic",   "hints", "external32",
    "append", "resize",      "sequential", "seek_end", "query",   "sizes"};

// What OMPIO of Open MPI 4.1.4 or ROMIO of MPICH 4.0.2 get wrong, hang in or crash on. They still
// differ now and then without these: both are wrong in plain cases as well.
const std::set<std::string> kStockUnsafe = {
    "eof",     "pairs",      "bottom",      "rewrite", "holes",      "internal", "empty",
    "derived", "wild",       "nonblocking", "split",   "shared",     "ordered",  "atomic",
    "hints",   "external32", "append",      "resize",  "sequential", "seek_end"};

bool parse_without(const std::string& names, Options& options) {
  std::stringstream stream(names);
  std::string name;
  while (std::getline(stream, name, ',')) {
    if (!known_feature(name)) {
      return false;
    }
    options.without.insert(name);
  }
  return true;
}

bool number(const char* text, int64_t& out) {
  char* end = nullptr;
  out = std::strtoll(text, &end, 0);
  return *text != '\0' && *end == '\0';
}

bool parse_flag(const char* name, Options& options) {
  if (std::strcmp(name, "--verbose") == 0) {
    options.verbose = true;
  } else if (std::strcmp(name, "--stock-safe") == 0) {
    options.without.insert(kStockUnsafe.begin(), kStockUnsafe.end());
  } else if (std::strcmp(name, "--keep") == 0) {
    options.keep_file = true;
  } else {
    return false;
  }
  return true;
}

bool parse_valued(const char* name, const char* value, Options& options) {
  if (std::strcmp(name, "--dir") == 0) {
    options.directory = value;
    return true;
  }
  if (std::strcmp(name, "--without") == 0) {
    return parse_without(value, options);
  }
  int64_t parsed = 0;
  if (!number(value, parsed)) {
    return false;
  }
  if (std::strcmp(name, "--seed") == 0) {
    options.seed = static_cast<uint64_t>(parsed);
  } else if (std::strcmp(name, "--cases") == 0) {
    options.cases = parsed;
  } else if (std::strcmp(name, "--first") == 0) {
    options.first_case = parsed;
  } else if (std::strcmp(name, "--case") == 0) {
    options.first_case = parsed;
    options.cases = 1;
  } else if (std::strcmp(name, "--stop-after") == 0) {
    options.stop_after = static_cast<int>(parsed);
  } else if (std::strcmp(name, "--hang-seconds") == 0) {
    options.hang_seconds = static_cast<int>(parsed);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool known_feature(const std::string& name) { return kFeatures.count(name) > 0; }

bool parse_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    if (parse_flag(argv[i], options)) {
      continue;
    }
    if (i + 1 >= argc || !parse_valued(argv[i], argv[i + 1], options)) {
      std::fprintf(stderr,
                   "usage: random_test [--seed S] [--cases N] [--first K] [--case K] [--dir D]\n"
                   "  [--verbose] [--stock-safe] [--keep] [--without feature,...]\n"
                   "  [--stop-after N] [--hang-seconds N]\n");
      return false;
    }
    ++i;
  }
  return true;
}

namespace {

// How often a hint is given. Those of the pages are, or few cases would throw pages out.
int percent(const Hint& hint) {
  const std::string key = hint.key;
  if (key == "romio_no_indep_rw") {
    return 3;
  }
  return key == "longshore_page_size" || key == "longshore_cache_size" ? 60 : 30;
}

}  // namespace

MPI_Info random_hints(Rng& rng, bool allowed, std::string& words) {
  if (!allowed || rng.chance(25)) {
    return MPI_INFO_NULL;
  }
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const Hint& hint : hints()) {
    const char* value = rng.pick(hint.values);
    const bool take = rng.chance(percent(hint));
    if (take) {
      MPI_Info_set(info, hint.key, value);
      words += std::string(" ") + hint.key + "=" + value;
    }
  }
  return info;
}

}  // namespace random_test
