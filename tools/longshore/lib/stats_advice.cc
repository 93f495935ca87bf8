#include "lib/stats_advice.h"

#include <algorithm>
#include <array>
#include <optional>

#include "lib/stats_text.h"

namespace longshore::cli {
namespace {

using Advice = std::optional<StatsAdvice>;

constexpr int64_t kSmallLocalWrite = 4096;
constexpr int64_t kSmallRemoteWrite = 1 << 20;
constexpr int64_t kTinyBuffer = 256 << 10;
constexpr int64_t kTinyStripe = 256 << 10;
constexpr int64_t kFewCalls = 100;
constexpr int64_t kManyCalls = 10'000;

int64_t number_of(const std::string& text) {
  return text.empty() ? 0 : std::strtoll(text.c_str(), nullptr, 10);
}

bool chose(const FileStats& file, const std::string& part) {
  return std::any_of(file.choices.begin(), file.choices.end(), [&](const StatsChoice& each) {
    return (each.how + " " + each.why).find(part) != std::string::npos;
  });
}

int64_t writes_past_pages(const FileStats& file) {
  return file.get("writes_direct") + file.get("writes_list") + file.get("writes_sieve");
}

Advice small_writes_without_pages(const FileStats& file) {
  const int64_t calls = writes_past_pages(file);
  const bool local = file.hosts == 1 && !file.striped;
  const int64_t mean = calls > 0 ? file.get("independent_write_bytes") / calls : 0;
  if (file.hint("longshore_write_behind") != "off" || file.ranks < 2 || calls < kFewCalls ||
      mean >= (local ? kSmallLocalWrite : kSmallRemoteWrite)) {
    return {};
  }
  return StatsAdvice{"longshore_write_behind=automatic",
                     std::to_string(calls) + " independent writes of " + bytes_text(mean) +
                         " on average went straight to the file; pages would join them",
                     0};
}

Advice read_modify_write(const FileStats& file) {
  const int64_t again = file.get("rmw_bytes");
  if (again == 0 || again < file.get("independent_write_bytes") / 4) {
    return {};
  }
  return StatsAdvice{"romio_ds_write=automatic",
                     bytes_text(again) + " were read only to be written back around " +
                         bytes_text(file.get("independent_write_bytes")) + " of the program's",
                     0};
}

Advice tiny_collective_buffer(const FileStats& file) {
  const int64_t bytes = number_of(file.hint("cb_buffer_size"));
  if (bytes <= 0 || bytes >= kTinyBuffer || !chose(file, "two phases")) {
    return {};
  }
  const int64_t fits = file.hosts == 1 && !file.striped ? 1 << 20 : 16 << 20;
  return StatsAdvice{
      "cb_buffer_size=" + std::to_string(fits),
      "collective calls work in cycles of only " + bytes_text(bytes) + " for each aggregator", 0};
}

Advice too_few_aggregators(const FileStats& file) {
  const int64_t nodes = number_of(file.hint("cb_nodes"));
  if (nodes <= 0 || nodes >= file.hosts || !chose(file, "two phases")) {
    return {};
  }
  return StatsAdvice{"cb_nodes=" + std::to_string(file.hosts),
                     std::to_string(nodes) + " of " + std::to_string(file.hosts) +
                         " hosts aggregate; the links of the others to storage are idle",
                     0};
}

Advice disabled_buffering(const FileStats& file) {
  if (!chose(file, "disabled by hint")) {
    return {};
  }
  return StatsAdvice{"romio_cb_write=automatic and romio_cb_read=automatic",
                     "a hint makes " + std::to_string(file.get("collective_alone")) +
                         " collective calls (counted by rank) go without aggregators",
                     0};
}

Advice forced_sparse(const FileStats& file) {
  if (!chose(file, "sparse access by hint")) {
    return {};
  }
  return StatsAdvice{"longshore_sparse=automatic",
                     "a hint sends every rank of interleaved collective calls on its own", 0};
}

Advice wasteful_sieving(const FileStats& file) {
  const int64_t wanted = file.get("independent_read_bytes");
  if (file.get("reads_sieve") == 0 || wanted == 0 || file.get("bytes_read") < 4 * wanted) {
    return {};
  }
  return StatsAdvice{"romio_ds_read=disable",
                     bytes_text(file.get("bytes_read")) + " were read for " + bytes_text(wanted) +
                         " that the program wanted",
                     0};
}

Advice contiguous_only(const FileStats& file) {
  if (file.hint("use_only_contig_io") != "true" ||
      file.get("writes_list") + file.get("reads_list") == 0) {
    return {};
  }
  return StatsAdvice{"use_only_contig_io=false",
                     "scattered transfers need a storage call for each of their pieces (" +
                         std::to_string(file.get("storage_calls")) + ")",
                     0};
}

Advice messages_on_one_host(const FileStats& file) {
  if (file.hosts != 1 || file.get("messages") == 0 || !chose(file, "two phases") ||
      chose(file, "shm exchange") || chose(file, "in the order of ranks")) {
    return {};
  }
  return StatsAdvice{"longshore_exchange=automatic",
                     std::to_string(file.get("messages")) +
                         " messages between ranks of one host, which could share memory",
                     0};
}

Advice small_stripes(const FileStats& file) {
  if (!file.striped || file.stripe_bytes >= kTinyStripe) {
    return {};
  }
  return StatsAdvice{"striping_unit=1048576 when the file is created",
                     "its stripes have only " + bytes_text(file.stripe_bytes), 0};
}

Advice many_small_calls(const FileStats& file) {
  const int64_t writes = writes_past_pages(file) + file.get("writes_pages");
  const int64_t reads = file.get("reads_direct") + file.get("reads_list") +
                        file.get("reads_sieve") + file.get("reads_pages");
  const int64_t calls = writes + reads;
  const int64_t bytes = file.get("independent_write_bytes") + file.get("independent_read_bytes");
  if (calls < kManyCalls || bytes / calls >= kSmallLocalWrite) {
    return {};
  }
  return StatsAdvice{
      "in the program: one collective call with a file view",
      std::to_string(calls) + " independent calls of " + bytes_text(bytes / calls) + " on average",
      0};
}

// The census at the begin of a collective call, which is most of the planning, waits for all ranks.
Advice late_ranks(const FileStats& file) {
  const int64_t in_calls = file.get("call_ns");
  const int64_t calls = file.get("collective_writes") + file.get("collective_reads");
  if (calls == 0 || file.get("plan_ns") < in_calls / 2) {
    return {};
  }
  return StatsAdvice{
      "in the program: let the ranks come to collective calls at the same time",
      std::to_string(100 * file.get("plan_ns") / std::max<int64_t>(1, in_calls)) +
          "% of the time in calls went by before all had come and the bytes were cut",
      0};
}

constexpr std::array kRules{
    small_writes_without_pages, read_modify_write, tiny_collective_buffer, too_few_aggregators,
    disabled_buffering,         forced_sparse,     wasteful_sieving,       contiguous_only,
    messages_on_one_host,       small_stripes,     many_small_calls,       late_ranks,
};

}  // namespace

std::vector<StatsAdvice> advice_for(const std::vector<FileStats>& files) {
  std::vector<StatsAdvice> all;
  for (const auto rule : kRules) {
    for (const auto& file : files) {
      auto advice = rule(file);
      if (!advice) {
        continue;
      }
      const auto same = std::find_if(all.begin(), all.end(),
                                     [&](const auto& each) { return each.what == advice->what; });
      advice->why += " (" + short_path(file.file) + ")";
      if (same == all.end()) {
        all.push_back(*advice);
        all.back().weight = file.get("call_ns");
      } else {
        same->weight += file.get("call_ns");
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  all.resize(std::min(all.size(), kMostAdvice));
  return all;
}

}  // namespace longshore::cli
