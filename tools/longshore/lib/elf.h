// lib/elf.h - what an ELF file says of itself, by reading it: nothing is loaded or run.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace longshore::cli {

struct ElfFacts {
  std::vector<std::string> needed;  // DT_NEEDED, in file order
  std::string interpreter;          // the dynamic linker; empty in a library or a static program
};

// Nothing if the file cannot be read or is no 64-bit ELF file of this machine's byte order.
[[nodiscard]] std::optional<ElfFacts> read_elf(const std::filesystem::path& path);

}  // namespace longshore::cli
