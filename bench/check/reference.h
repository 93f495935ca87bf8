// reference.h - what a file and memory must hold, worked out naively and moved by plain system
// calls, so that MPI-IO is judged by something else.
#pragma once
#include <span>
#include <string>

#include "check/rule.h"

namespace longshore::check {

// The rank's bytes go to `memory`, or zeros where the rule demands them.
void fill_memory(const Rule& rule, const Place& place, std::span<std::byte> memory);

// Collective. Makes the file that a read of `side` is to find, of all ranks' bytes.
void write_file(const Rule& rule, const Place& place, Side side, const std::string& path);

// Collective, after a trial of `side`. What is wrong with the file, or after a read with `memory`;
// empty if every byte is right. The same text on all ranks.
[[nodiscard]] std::string judge(const Rule& rule, const Place& place, Side side,
                                const std::string& path, std::span<const std::byte> memory);

// Collective. Flips a byte of the file, for tests.
void flip_byte(const Rule& rule, const Place& place, const std::string& path);

}  // namespace longshore::check
