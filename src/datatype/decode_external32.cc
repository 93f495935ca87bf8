// Most predefined types are converted by the MPI, derived ones taken apart here first: of the two
// MPIs one crashes on some of them. The types of shape_of() are those where the two differ, or
// differ from the standard, and are converted by external32.h, so that files are the same under
// both:
//   - long double: Open MPI 4 writes another format, and bytes of its stack.
//   - pairs and wide characters: MPICH ends the process. A wide character has 2 bytes in the
//     standard's table and 4 in Open MPI; here 2, and one that needs more is an error.
//   - Fortran's complex types: MPICH exchanges the real and the imaginary part.
//   - MPI_Type_create_f90_integer of 8 bytes: Open MPI keeps only 4.
#include "datatype/decode_external32.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "datatype/decode_contents.h"
#include "datatype/decode_signature.h"
#include "datatype/external32.h"

namespace longshore {

namespace {

constexpr int64_t kItemsAtOnce = 1 << 20;

struct NamedShape {
  MPI_Datatype named;
  ItemShape shape;
};

ItemShape plain(int64_t bytes, int64_t values = 1, bool index = false) {
  return {ValueKind::kPlain, bytes, values, index};
}

// Where long double is neither x86's nor binary128 itself, nothing is known about it here.
std::optional<ItemShape> long_doubles(int64_t values, bool index = false) {
  if (LDBL_MANT_DIG == 64 && sizeof(long double) == 16) {
    return ItemShape{ValueKind::kLongDouble, 0, values, index};
  }
  return LDBL_MANT_DIG == 113 ? std::optional(plain(16, values, index)) : std::nullopt;
}

std::optional<ItemShape> long_double_shape(MPI_Datatype named) {
  if (named == MPI_LONG_DOUBLE) {
    return long_doubles(1);
  }
  if (named == MPI_C_LONG_DOUBLE_COMPLEX || named == MPI_CXX_LONG_DOUBLE_COMPLEX) {
    return long_doubles(2);
  }
  if (named == MPI_LONG_DOUBLE_INT) {
    return long_doubles(1, true);
  }
  return std::nullopt;
}

// Fortran's types have the compiler's sizes: a default INTEGER may have been made 8 bytes.
ItemShape halves(MPI_Datatype named) {
  int bytes = 0;
  PMPI_Type_size(named, &bytes);
  return plain(bytes / 2, 2);
}

std::optional<ItemShape> pair_shape(MPI_Datatype named) {
  const bool narrow_long = sizeof(long) == 8;
  const std::array shapes{
      NamedShape{MPI_FLOAT_INT, plain(sizeof(float), 1, true)},
      NamedShape{MPI_DOUBLE_INT, plain(sizeof(double), 1, true)},
      NamedShape{MPI_LONG_INT, narrow_long ? ItemShape{ValueKind::kLong, 0, 1, true}
                                           : plain(sizeof(long), 1, true)},
      NamedShape{MPI_SHORT_INT, plain(sizeof(short), 1, true)},
      NamedShape{MPI_2INT, plain(sizeof(int), 2)},
  };
  for (const auto& known : shapes) {
    if (known.named == named) {
      return known.shape;
    }
  }
  return std::nullopt;
}

std::optional<ItemShape> fortran_shape(MPI_Datatype named) {
  for (MPI_Datatype twofold : {MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX32, MPI_2INTEGER,
                               MPI_2REAL, MPI_2DOUBLE_PRECISION}) {
    if (named == twofold) {
      return halves(named);
    }
  }
  // REAL*16 is binary128 in memory already, unlike C's long double.
  return named == MPI_REAL16 ? std::optional(plain(16)) : std::nullopt;
}

// The MPIs make real types of 16 bytes out of long double.
std::optional<ItemShape> parameterised_shape(MPI_Datatype named, int combiner) {
  int bytes = 0;
  PMPI_Type_size(named, &bytes);
  switch (combiner) {
    case MPI_COMBINER_F90_INTEGER: return plain(bytes);
    case MPI_COMBINER_F90_REAL: return bytes == 16 ? long_doubles(1) : plain(bytes);
    case MPI_COMBINER_F90_COMPLEX: return bytes == 32 ? long_doubles(2) : plain(bytes / 2, 2);
    default: return std::nullopt;
  }
}

std::optional<ItemShape> shape_of(MPI_Datatype named) {
  if (named == MPI_WCHAR) {
    return sizeof(wchar_t) == 4 ? ItemShape{ValueKind::kWideChar, 0, 1, false}
                                : plain(sizeof(wchar_t));
  }
  for (const auto& known : {long_double_shape(named), pair_shape(named), fortran_shape(named)}) {
    if (known) {
      return known;
    }
  }
  return parameterised_shape(named, combiner_of(named));
}

// Asks MPI_Pack_external itself, since that is what converts: MPI_Pack_external_size of Open MPI 4
// says 8 for MPI_LONG where 4 bytes are packed.
int64_t size_by_mpi(MPI_Datatype named) {
  const std::array<char, 64> from{};
  std::array<char, 64> to{};
  MPI_Aint packed_bytes = 0;
  const int rc =
      PMPI_Pack_external("external32", from.data(), 1, named, to.data(), to.size(), &packed_bytes);
  return rc == MPI_SUCCESS ? packed_bytes : -1;
}

// A run of equal items and how they are converted: by their shape, or by the MPI if they have none.
struct Conversion {
  ItemRun run;
  std::optional<ItemShape> shape;
  int64_t memory_item_bytes;
  int64_t file_item_bytes;
};

Conversion conversion_of(const ItemRun& run) {
  int memory_item_bytes = 0;
  PMPI_Type_size(run.named, &memory_item_bytes);
  return {run, shape_of(run.named), memory_item_bytes, external32_size(run.named)};
}

// Both return false if the items cannot be converted.
bool pack_items(const Conversion& way, int64_t items, std::byte* memory, std::byte* file) {
  if (way.shape) {
    return to_external32(*way.shape, items, memory, file);
  }
  MPI_Aint at = 0;
  return PMPI_Pack_external("external32", memory, static_cast<int>(items), way.run.named, file,
                            items * way.file_item_bytes, &at) == MPI_SUCCESS;
}
bool unpack_items(const Conversion& way, int64_t items, std::byte* memory, std::byte* file) {
  if (way.shape) {
    from_external32(*way.shape, items, file, memory);
    return true;
  }
  MPI_Aint at = 0;
  return PMPI_Unpack_external("external32", file, items * way.file_item_bytes, &at, memory,
                              static_cast<int>(items), way.run.named) == MPI_SUCCESS;
}
using Convert = decltype(pack_items);

struct Types {
  DecodedType in_memory;
  DecodedType in_file;
  std::vector<Conversion> ways;
};

Result<Types> types_of(MPI_Datatype type) {
  auto in_memory = decode(type);
  auto in_file = decode_in_file(type, external32_size);
  auto runs = signature_of(type);
  if (!in_memory || !in_file || !runs) {
    return fail(!in_memory ? in_memory.error() : !in_file ? in_file.error() : runs.error());
  }
  std::vector<Conversion> ways(runs->size());
  std::transform(runs->begin(), runs->end(), ways.begin(), conversion_of);
  return Types{std::move(*in_memory), std::move(*in_file), std::move(ways)};
}

// Both streams, without gaps; advanced by what was converted.
struct Streams {
  std::byte* memory;
  std::byte* file;
  int64_t file_bytes;  // that are left
};

// Converts the items that `streams` holds whole, `items` at most, in steps that MPI's int counts
// can name.
Status convert_run(const Conversion& way, int64_t items, Streams& streams, Convert convert) {
  items = std::min(items, streams.file_bytes / way.file_item_bytes);
  while (items > 0) {
    const int64_t step = std::min(kItemsAtOnce, items);
    if (!convert(way, step, streams.memory, streams.file)) {
      return fail(ErrorClass::kConversion, "external32 conversion failed");
    }
    streams.memory += step * way.memory_item_bytes;
    streams.file += step * way.file_item_bytes;
    streams.file_bytes -= step * way.file_item_bytes;
    items -= step;
  }
  return {};
}

// How far a stream went in memory: bytes of items that were converted, and the share of one that
// the file's stream has in part only and that was not.
struct Converted {
  int64_t whole_bytes;
  int64_t part_bytes;
};

// Where the file's stream ends within an item: of a pair or a complex number, the members that are
// there whole are converted.
Result<Converted> convert_last(const Conversion& way, const std::byte* begin, Streams streams,
                               Convert convert) {
  Conversion rest = way;
  if (way.shape) {
    const ItemShape value{way.shape->kind, way.shape->plain_bytes, 1, false};
    const int64_t values = std::min(way.shape->values, streams.file_bytes / value.file_bytes());
    rest = {way.run, value, value.memory_bytes(), value.file_bytes()};
    if (auto status = convert_run(rest, values, streams, convert); !status) {
      return fail(status.error());
    }
    if (values == way.shape->values) {  // an index is left, as long in memory as in the file
      return Converted{streams.memory - begin, streams.file_bytes};
    }
  }
  return Converted{streams.memory - begin,
                   streams.file_bytes * rest.memory_item_bytes / rest.file_item_bytes};
}

// Walks both streams run by run until the file's ends.
Result<Converted> convert_all(const Types& types, int64_t count, Streams streams, Convert convert) {
  const std::byte* const begin = streams.memory;
  // Instances of one kind of item are one long run.
  const bool uniform = types.ways.size() == 1;
  const int64_t rounds = uniform ? 1 : count;
  for (int64_t round = 0; round < rounds; ++round) {
    for (const auto& way : types.ways) {
      const int64_t items = uniform ? way.run.count * count : way.run.count;
      const bool ends_here = streams.file_bytes < items * way.file_item_bytes;
      if (auto status = convert_run(way, items, streams, convert); !status) {
        return fail(status.error());
      }
      if (ends_here) {
        return convert_last(way, begin, streams, convert);
      }
    }
  }
  return Converted{streams.memory - begin, 0};
}

class External32 final : public Representation {
 public:
  bool converts() const override { return true; }

  Result<DecodedType> decode_type(MPI_Datatype type) const override {
    return decode_in_file(type, external32_size);
  }

  Result<std::vector<std::byte>> to_file(const UserBuffer& buffer) const override {
    auto types = types_of(buffer.type);
    if (!types) {
      return fail(types.error());
    }
    std::vector<std::byte> native(static_cast<size_t>(types->in_memory.size_bytes * buffer.count));
    types->in_memory.instances(buffer.count)
        .pack(0, native, static_cast<const std::byte*>(buffer.address));
    const int64_t file_bytes = types->in_file.size_bytes * buffer.count;
    std::vector<std::byte> stream(static_cast<size_t>(file_bytes));
    const auto converted =
        convert_all(*types, buffer.count, {native.data(), stream.data(), file_bytes}, pack_items);
    if (!converted) {
      return fail(converted.error());
    }
    return stream;
  }

  Result<int64_t> from_file(std::span<const std::byte> stream,
                            const UserBuffer& buffer) const override {
    auto types = types_of(buffer.type);
    if (!types) {
      return fail(types.error());
    }
    std::vector<std::byte> native(static_cast<size_t>(types->in_memory.size_bytes * buffer.count));
    std::vector<std::byte> copy(stream.begin(), stream.end());
    const auto converted =
        convert_all(*types, buffer.count,
                    {native.data(), copy.data(), static_cast<int64_t>(copy.size())}, unpack_items);
    if (!converted) {
      return fail(converted.error());
    }
    // What lies behind is left alone: an item that external32 shortens would not come back.
    types->in_memory.instances(buffer.count)
        .unpack(0, std::span(native).first(static_cast<size_t>(converted->whole_bytes)),
                static_cast<std::byte*>(buffer.address));
    return converted->whole_bytes + converted->part_bytes;
  }
};

}  // namespace

int64_t external32_size(MPI_Datatype named) {
  const auto shape = shape_of(named);
  return shape ? shape->file_bytes() : size_by_mpi(named);
}

std::shared_ptr<const Representation> make_external32() { return std::make_shared<External32>(); }

}  // namespace longshore
