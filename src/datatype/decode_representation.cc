#include "datatype/decode_representation.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "datatype/decode_external32.h"
#include "datatype/decode_signature.h"

namespace longshore {

namespace {

std::byte* moved(void* address, int64_t by) { return static_cast<std::byte*>(address) + by; }

// native and internal: Longshore's files are those of the machine.
class Plain final : public Representation {
 public:
  bool converts() const override { return false; }
  Result<DecodedType> decode_type(MPI_Datatype type) const override { return decode(type); }
  Result<std::vector<std::byte>> to_file(const UserBuffer&) const override {
    return fail(ErrorClass::kIntern, "nothing to convert");
  }
  Result<int64_t> from_file(std::span<const std::byte>, const UserBuffer&) const override {
    return fail(ErrorClass::kIntern, "nothing to convert");
  }
};

// Basic items in all instances of a buffer.
int64_t items_of(const UserBuffer& buffer) {
  int64_t items = 0;
  if (auto runs = signature_of(buffer.type)) {
    for (const auto& run : *runs) {
      items += run.count;
    }
  }
  return items * buffer.count;
}

// The program's functions make and read streams as a whole; prefixes are handled here.
class Registered final : public Representation {
 public:
  explicit Registered(RegisteredFunctions functions) : functions_(std::move(functions)) {}

  bool converts() const override { return true; }

  Result<DecodedType> decode_type(MPI_Datatype type) const override {
    return decode_in_file(type, [&](MPI_Datatype named) -> int64_t {
      MPI_Aint extent = -1;
      return functions_.extent(named, &extent) == MPI_SUCCESS ? extent : -1;
    });
  }

  Result<std::vector<std::byte>> to_file(const UserBuffer& buffer) const override {
    auto in_file = decode_type(buffer.type);
    auto in_memory = decode(buffer.type);
    if (!in_file || !in_memory) {
      return fail(in_file ? in_memory.error() : in_file.error());
    }
    std::vector<std::byte> stream(static_cast<size_t>(in_file->size_bytes * buffer.count));
    if (!functions_.write) {
      const auto bytes =
          std::min(stream.size(), static_cast<size_t>(in_memory->size_bytes * buffer.count));
      in_memory->instances(buffer.count)
          .pack(0, std::span(stream).first(bytes), moved(buffer.address, 0));
      return stream;
    }
    const int code =
        functions_.write(buffer.address, buffer.type, items_of(buffer), stream.data(), 0);
    if (code != MPI_SUCCESS) {
      return fail(ErrorClass::kConversion, "the program's write conversion failed");
    }
    return stream;
  }

  Result<int64_t> from_file(std::span<const std::byte> stream,
                            const UserBuffer& buffer) const override {
    auto in_file = decode_type(buffer.type);
    auto in_memory = decode(buffer.type);
    if (!in_file || !in_memory) {
      return fail(in_file ? in_memory.error() : in_file.error());
    }
    const int64_t whole = in_file->size_bytes * buffer.count;
    if (whole == 0) {
      return 0;
    }
    const auto size = static_cast<int64_t>(stream.size());
    Status taken;
    if (size == whole) {
      taken = take_whole(stream, buffer);
    } else if (auto patched = to_file(buffer); patched) {
      // Lay the prefix over what the buffer holds, so that the rest comes back unchanged.
      std::copy(stream.begin(), stream.end(), patched->begin());
      taken = take_whole(*patched, buffer);
    } else {
      taken = fail(patched.error());
    }
    if (!taken) {
      return fail(taken.error());
    }
    return size / in_file->size_bytes * in_memory->size_bytes +
           size % in_file->size_bytes * in_memory->size_bytes / in_file->size_bytes;
  }

 private:
  [[nodiscard]] Status take_whole(std::span<const std::byte> stream,
                                  const UserBuffer& buffer) const {
    if (!functions_.read) {
      auto in_memory = decode(buffer.type);
      if (!in_memory) {
        return fail(in_memory.error());
      }
      const auto bytes =
          std::min(stream.size(), static_cast<size_t>(in_memory->size_bytes * buffer.count));
      in_memory->instances(buffer.count).unpack(0, stream.first(bytes), moved(buffer.address, 0));
      return {};
    }
    std::vector<std::byte> copy(stream.begin(), stream.end());
    const int code = functions_.read(buffer.address, buffer.type, items_of(buffer), copy.data(), 0);
    return code == MPI_SUCCESS
               ? Status{}
               : fail(ErrorClass::kConversion, "the program's read conversion failed");
  }

  RegisteredFunctions functions_;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const Representation>> by_name{
      {"native", std::make_shared<Plain>()},
      {"internal", std::make_shared<Plain>()},
      {"external32", make_external32()}};
};

// Never destroyed: files may be closed while the process exits.
Registry& registry() {
  static auto* all = new Registry();
  return *all;
}

}  // namespace

Status register_representation(const std::string& name, RegisteredFunctions functions) {
  if (name.empty() || name.size() >= MPI_MAX_DATAREP_STRING || !functions.extent) {
    return fail(ErrorClass::kInvalidArgument, "bad data representation '" + name + "'");
  }
  const std::lock_guard lock(registry().mutex);
  const bool fresh =
      registry().by_name.emplace(name, std::make_shared<Registered>(std::move(functions))).second;
  return fresh ? Status{} : fail(ErrorClass::kDupDatarep, name + " is registered already");
}

Result<std::shared_ptr<const Representation>> find_representation(const std::string& name) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().by_name.find(name);
  if (found == registry().by_name.end()) {
    return fail(ErrorClass::kUnsupportedDatarep, "no data representation '" + name + "'");
  }
  return found->second;
}

}  // namespace longshore
