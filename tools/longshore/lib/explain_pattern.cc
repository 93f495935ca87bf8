#include "lib/explain_pattern.h"

#include <array>
#include <charconv>
#include <optional>
#include <sstream>

namespace longshore::cli {
namespace {

constexpr int kMostRanks = 1 << 20;

// "4096", "4K", "4KiB", "1M", "1GiB": powers of 1024.
std::optional<int64_t> size_of(const std::string& text) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || value < 0) {
    return std::nullopt;
  }
  const std::string unit(end, text.data() + text.size());
  constexpr std::array<std::array<const char*, 3>, 4> kUnits{
      {{"", "B", "bytes"}, {"K", "k", "KiB"}, {"M", "m", "MiB"}, {"G", "g", "GiB"}}};
  for (const auto& names : kUnits) {
    for (const char* name : names) {
      if (unit == name) {
        return value;
      }
    }
    if (__builtin_mul_overflow(value, 1024, &value)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool set_calls(PatternSpec& spec, const std::string& value) {
  for (const bool reads : {false, true}) {
    const std::string verb = reads ? "read" : "write";
    for (const char* middle : {"", "_at"}) {
      if (value == verb + middle || value == verb + middle + "_all") {
        spec.reads = reads;
        spec.collective = value.ends_with("_all");
        return true;
      }
    }
  }
  return false;
}

bool set_number(PatternSpec& spec, const std::string& key, int64_t value) {
  const auto set_int = [&](int& field) {
    field = static_cast<int>(value);
    return value <= kMostRanks;
  };
  const auto set = [&](int64_t& field) {
    field = value;
    return true;
  };
  return key == "ranks"    ? set_int(spec.ranks)
         : key == "hosts"  ? set_int(spec.hosts)
         : key == "cores"  ? set_int(spec.cores)
         : key == "block"  ? set(spec.block_bytes)
         : key == "stride" ? set(spec.stride_bytes)
         : key == "shift"  ? set(spec.shift_bytes)
         : key == "count"  ? set(spec.count)
         : key == "times"  ? set(spec.times)
                           : false;
}

Status take_words(const std::string& text, PatternSpec& spec) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const auto number = size_of(value);
    const bool fine = key == "calls" ? set_calls(spec, value)
                                     : number && *number > 0 && set_number(spec, key, *number);
    if (!fine) {
      return fail(ErrorClass::kInvalidArgument, "pattern: '" + word + "' is not understood");
    }
  }
  return {};
}

// The named pattern that the text begins with, replaced by its words.
std::string spelled_out(const std::string& text) {
  std::istringstream words(text);
  std::string first;
  words >> first;
  for (const auto& each : named_patterns()) {
    if (first == each.name) {
      return each.words + text.substr(text.find(first) + first.size());
    }
  }
  return text;
}

Status complete(PatternSpec& spec) {
  spec.shift_bytes = spec.shift_bytes == 0 ? spec.block_bytes : spec.shift_bytes;
  if (spec.stride_bytes == 0 &&
      __builtin_mul_overflow(spec.shift_bytes, int64_t{spec.ranks}, &spec.stride_bytes)) {
    return fail(ErrorClass::kInvalidArgument, "pattern: too large");
  }
  int64_t end = 0;
  if (__builtin_mul_overflow(spec.stride_bytes, spec.count, &end) ||
      __builtin_mul_overflow(end, spec.times, &end) || end > INT64_MAX / 4) {
    return fail(ErrorClass::kInvalidArgument, "pattern: too large");
  }
  if (spec.stride_bytes < spec.block_bytes) {
    return fail(ErrorClass::kInvalidArgument,
                "pattern: pieces of a rank overlap (stride is less than block)");
  }
  if (spec.ranks < spec.hosts) {
    return fail(ErrorClass::kInvalidArgument, "pattern: fewer ranks than hosts");
  }
  return {};
}

}  // namespace

const std::vector<NamedPattern>& named_patterns() {
  static const std::vector<NamedPattern> all{
      {"contiguous", "calls=write_all block=32MiB", "one large block per rank"},
      {"round_robin_4k", "calls=write_all block=4KiB count=8192", "blocks of 4 KiB in turn"},
      {"ior_segments", "calls=write_all block=1MiB times=32",
       "segments of one 1 MiB block per rank, a call per segment"},
      {"sparse_64", "calls=write_all block=1KiB shift=64KiB count=2048",
       "pieces of 1 KiB every 64 KiB, in turn"},
      {"records_64", "calls=write block=64 times=65536",
       "records of 64 bytes in turn, a call each"},
      {"round_robin_4k_rows", "calls=write block=4KiB times=8192",
       "blocks of 4 KiB in turn, a call each"},
      {"strided_view", "calls=write block=512 count=512 times=64",
       "a view of pieces of 512 bytes in turn, calls of 256 KiB"},
  };
  return all;
}

Result<PatternSpec> parse_pattern(const std::string& text) {
  PatternSpec spec;
  if (auto taken = take_words(spelled_out(text), spec); !taken) {
    return fail(taken.error());
  }
  if (auto done = complete(spec); !done) {
    return fail(done.error());
  }
  return spec;
}

}  // namespace longshore::cli
