// content.h - what stands at each place of the file: a function of the offset and of the call that
// writes it, so that every byte in memory and in the file can be checked without keeping a copy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "workloads/workload.h"

namespace longshore::bench {

// Bytes of the file that are neighbours in memory too.
struct Segment {
  int64_t file_offset = 0;
  int64_t memory_offset = 0;
  int64_t length = 0;
};

// Another number for each call of each repetition: old bytes are not taken for new ones.
[[nodiscard]] uint64_t seed_of(int repetition, size_t call);

// The bytes that stand at file_offset and after it.
void fill(std::span<std::byte> bytes, int64_t file_offset, uint64_t seed);
// The index of the first byte that is not as fill() would have it; -1 if all are.
[[nodiscard]] int64_t first_wrong(std::span<const std::byte> bytes, int64_t file_offset,
                                  uint64_t seed);

// All segments of a call, in the order of the data.
void for_each_segment(const Workload& workload, const Call& call,
                      const std::function<void(const Segment&)>& use);

// Fills the parts of the buffer that the calls write.
void fill_memory(const Workload& workload, int repetition, std::span<std::byte> buffer);
// The file offset of the first wrong byte after reading into a buffer that was all zero, -1 if
// there is none; for a byte that is changed though no call reads into it, -2 less its place in the
// buffer. Clears the buffer.
[[nodiscard]] int64_t check_memory(const Workload& workload, int repetition,
                                   std::span<std::byte> buffer);

}  // namespace longshore::bench
