#include "datatype/decode_named.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace longshore {
namespace {

template <typename Value>
struct Pair {
  Value value;
  int index;
};

struct PairShape {
  int64_t value_bytes;
  int64_t index_offset;
};

template <typename Value>
constexpr PairShape shape_of_pair() {
  return {sizeof(Value), offsetof(Pair<Value>, index)};
}

std::optional<PairShape> pair_shape(MPI_Datatype named) {
  if (named == MPI_FLOAT_INT) {
    return shape_of_pair<float>();
  }
  if (named == MPI_DOUBLE_INT) {
    return shape_of_pair<double>();
  }
  if (named == MPI_LONG_INT) {
    return shape_of_pair<long>();
  }
  if (named == MPI_SHORT_INT) {
    return shape_of_pair<short>();
  }
  if (named == MPI_LONG_DOUBLE_INT) {
    return shape_of_pair<long double>();
  }
  return std::nullopt;
}

bool has_name(MPI_Datatype named, std::string_view wanted) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  if (PMPI_Type_get_name(named, name.data(), &length) != MPI_SUCCESS) {
    return false;
  }
  return std::string_view(name.data(), static_cast<size_t>(length)) == wanted;
}

// MPI-1's MPI_LB and MPI_UB have no bytes; mpi.h may hide their handles but not their names.
TypeLayout marker(MPI_Datatype named) {
  TypeLayout layout;
  layout.bounds.any = true;
  layout.bounds.lower_marked = has_name(named, "MPI_LB");
  layout.bounds.upper_marked = has_name(named, "MPI_UB");
  return layout;
}

TypeLayout run_of(int64_t bytes) {
  return {Pattern::run(bytes), TypeBounds{true, false, false, 0, bytes}};
}

}  // namespace

Result<TypeLayout> layout_of_named(MPI_Datatype named) {
  MPI_Count bytes = 0;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  if (PMPI_Type_size_x(named, &bytes) != MPI_SUCCESS ||
      PMPI_Type_get_extent_x(named, &lower, &extent) != MPI_SUCCESS) {
    return fail(ErrorClass::kType, "MPI_Type_size_x refused the datatype");
  }
  if (bytes == 0) {
    return marker(named);
  }
  TypeLayout layout = run_of(bytes);
  layout.bounds.lower = lower;
  layout.bounds.upper = lower + extent;
  if (const auto pair = pair_shape(named)) {
    layout.pattern = Pattern::of_pieces(
        std::array{Piece{0, pair->value_bytes}, Piece{pair->index_offset, int64_t{sizeof(int)}}});
  }
  return layout;
}

Result<TypeLayout> layout_of_named_in_file(MPI_Datatype named, const ElementSize& element_size) {
  MPI_Count native_bytes = 0;
  if (PMPI_Type_size_x(named, &native_bytes) == MPI_SUCCESS && native_bytes == 0) {
    return marker(named);
  }
  const int64_t bytes = element_size(named);
  if (bytes < 0) {
    return fail(ErrorClass::kConversion, "the data representation lacks a predefined type");
  }
  return run_of(bytes);
}

}  // namespace longshore
