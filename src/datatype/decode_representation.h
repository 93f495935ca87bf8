// datatype/decode_representation.h - how data looks in the file: native, internal, external32 or a
// representation that the program registered.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "datatype/decode.h"

namespace longshore {

// A typed buffer of the program.
struct UserBuffer {
  void* address = nullptr;
  int64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// Immutable; any thread may use it.
class Representation {
 public:
  virtual ~Representation() = default;

  // False: the bytes in memory are the bytes in the file, and none of the methods below but
  // decode_type is called.
  [[nodiscard]] virtual bool converts() const = 0;
  // A datatype with the sizes and extents that it has in the file.
  [[nodiscard]] virtual Result<DecodedType> decode_type(MPI_Datatype type) const = 0;

  // The buffer's data as it stands in the file, without gaps.
  [[nodiscard]] virtual Result<std::vector<std::byte>> to_file(const UserBuffer& buffer) const = 0;
  // Takes `stream`, a prefix of what to_file would make, into the buffer; returns the bytes that
  // count in memory. Data behind the prefix keeps its value; of an item that the prefix has in
  // part, the bytes count but its value is unspecified.
  [[nodiscard]] virtual Result<int64_t> from_file(std::span<const std::byte> stream,
                                                  const UserBuffer& buffer) const = 0;
};

// What MPI_Register_datarep is given; null functions stand for no conversion in that direction.
struct RegisteredFunctions {
  using Convert = std::function<int(void* user, MPI_Datatype type, int64_t items, void* file,
                                    MPI_Offset position)>;
  Convert read;
  Convert write;
  std::function<int(MPI_Datatype type, MPI_Aint* extent)> extent;
};

// kDupDatarep for a name in use, predefined ones included; kInvalidArgument for a bad name.
[[nodiscard]] Status register_representation(const std::string& name,
                                             RegisteredFunctions functions);
// kUnsupportedDatarep for a name that no one registered.
[[nodiscard]] Result<std::shared_ptr<const Representation>> find_representation(
    const std::string& name);

}  // namespace longshore
