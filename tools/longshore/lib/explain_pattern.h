// lib/explain_pattern.h - a regular access pattern in words, for `longshore explain --pattern`.
//
//   "ranks=4 calls=write_all block=1KiB stride=4KiB count=1000"
//   "round_robin_4k ranks=16 hosts=4"          a named one, with changes
//
// In a call each rank moves `count` pieces of `block` bytes, one every `stride` bytes; rank r's
// first piece is r * shift bytes behind rank 0's.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"

namespace longshore::cli {

struct PatternSpec {
  int ranks = 4;
  int hosts = 1;
  int cores = 0;  // of a host; 0: of this one
  bool reads = false;
  bool collective = true;
  int64_t block_bytes = 1024;
  int64_t stride_bytes = 0;  // 0: ranks * shift: in turn, without holes if shift is the block
  int64_t shift_bytes = 0;   // 0: the block
  int64_t count = 1;         // pieces of a rank in a call
  int64_t times = 1;         // calls
};

struct NamedPattern {
  const char* name;
  const char* words;
  const char* about;
};

// The regular ones of `longshore bench`, and their geometry for its default sizes on 4 ranks.
[[nodiscard]] const std::vector<NamedPattern>& named_patterns();

// No zeros are left but in `cores`. kInvalidArgument for an unknown word, a bad number, pieces of a
// rank that overlap, or fewer ranks than hosts.
[[nodiscard]] Result<PatternSpec> parse_pattern(const std::string& text);

}  // namespace longshore::cli
