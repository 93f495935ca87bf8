#include "lib/elf.h"

#include <elf.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace longshore::cli {
namespace {

constexpr uint64_t kMaxTableBytes = uint64_t{1} << 26;  // of any one table: a damaged file has more
constexpr unsigned char kOwnByteOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : file_(path, std::ios::binary) {}

  // `count` records at a file offset; empty if they are not all there.
  template <typename Record>
  std::vector<Record> read(uint64_t offset, uint64_t count) {
    if (!file_ || count > kMaxTableBytes / sizeof(Record)) {
      return {};
    }
    std::vector<Record> records(count);
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(reinterpret_cast<char*>(records.data()),
               static_cast<std::streamsize>(count * sizeof(Record)));
    return file_ ? records : std::vector<Record>{};
  }

 private:
  std::ifstream file_;
};

bool is_ours(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == kOwnByteOrder &&
         header.e_phentsize == sizeof(Elf64_Phdr);
}

// Where the byte that is loaded at `address` stands in the file.
std::optional<uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments, uint64_t address) {
  for (const auto& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

std::vector<std::string> needed_names(Reader& reader, const std::vector<Elf64_Phdr>& segments,
                                      const Elf64_Phdr& dynamic) {
  const auto entries =
      reader.read<Elf64_Dyn>(dynamic.p_offset, dynamic.p_filesz / sizeof(Elf64_Dyn));
  uint64_t strings_address = 0;
  uint64_t strings_bytes = 0;
  for (const auto& entry : entries) {
    if (entry.d_tag == DT_STRTAB) {
      strings_address = entry.d_un.d_ptr;
    } else if (entry.d_tag == DT_STRSZ) {
      strings_bytes = entry.d_un.d_val;
    }
  }
  const auto at = file_offset(segments, strings_address);
  auto strings = reader.read<char>(at.value_or(0), at ? strings_bytes : 0);
  strings.push_back('\0');

  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < strings.size()) {
      names.emplace_back(strings.data() + entry.d_un.d_val);
    }
  }
  return names;
}

}  // namespace

std::optional<ElfFacts> read_elf(const std::filesystem::path& path) {
  Reader reader(path);
  const auto header = reader.read<Elf64_Ehdr>(0, 1);
  if (header.empty() || !is_ours(header[0])) {
    return std::nullopt;
  }
  ElfFacts facts;
  const auto segments = reader.read<Elf64_Phdr>(header[0].e_phoff, header[0].e_phnum);
  for (const auto& segment : segments) {
    if (segment.p_type == PT_DYNAMIC) {
      facts.needed = needed_names(reader, segments, segment);
    } else if (segment.p_type == PT_INTERP) {
      auto text = reader.read<char>(segment.p_offset, segment.p_filesz);
      text.push_back('\0');
      facts.interpreter = text.data();
    }
  }
  return facts;
}

}  // namespace longshore::cli
