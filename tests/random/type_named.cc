// The predefined types of the generator, with the basic elements that each stands for.
#include <array>
#include <complex>

#include "type_model.h"

namespace random_test {

namespace {

enum class Fit { kSame, kNative };

struct Named {
  const char* words;
  MPI_Datatype handle;
  std::vector<Leaf> map;
  Fit external32;  // kNative: external32 has another size or layout for it
};

Named single(const char* words, MPI_Datatype handle, uint8_t bytes, Fit fit = Fit::kSame) {
  return {words, handle, {{0, bytes, bytes}}, fit};
}

// A predefined pair laid out like the C structure { A value; int index; }.
template <typename A>
Named pair(const char* words, MPI_Datatype handle) {
  struct Layout {
    A value;
    int index;
  };
  const int64_t at = offsetof(Layout, index);
  // In the file the members follow each other without a hole.
  const Fit fit = sizeof(Layout) == sizeof(A) + 4 ? Fit::kSame : Fit::kNative;
  return {words, handle, {{0, sizeof(A), sizeof(A)}, {at, 4, 4}}, fit};
}

std::vector<Named> make_table() {
  std::vector<Named> table = {
      single("BYTE", MPI_BYTE, 1),
      single("INT", MPI_INT, 4),
      single("CHAR", MPI_CHAR, 1),
      single("SHORT", MPI_SHORT, 2),
      single("DOUBLE", MPI_DOUBLE, 8),
      single("FLOAT", MPI_FLOAT, 4),
      single("INT64_T", MPI_INT64_T, 8),
      single("UINT16_T", MPI_UINT16_T, 2),
      single("LONG_LONG", MPI_LONG_LONG, 8),
      single("UNSIGNED", MPI_UNSIGNED, 4),
      {"C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, {{0, 8, 4}}, Fit::kSame},
      {"C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, {{0, 16, 8}}, Fit::kSame},
      single("LONG", MPI_LONG, 8, Fit::kNative),
      single("LONG_DOUBLE", MPI_LONG_DOUBLE, 16, Fit::kNative),
      single("WCHAR", MPI_WCHAR, 4, Fit::kNative),
      single("AINT", MPI_AINT, 8, Fit::kNative),
      pair<short>("SHORT_INT", MPI_SHORT_INT),
      pair<double>("DOUBLE_INT", MPI_DOUBLE_INT),
      pair<float>("FLOAT_INT", MPI_FLOAT_INT),
      pair<int>("2INT", MPI_2INT),
  };
  MPI_Datatype f90 = MPI_DATATYPE_NULL;
  MPI_Type_create_f90_integer(9, &f90);
  table.push_back(single("f90_integer(9)", f90, 4));
  MPI_Type_create_f90_real(15, 307, &f90);
  table.push_back(single("f90_real(15,307)", f90, 8));
  return table;
}

const std::vector<Named>& table() {
  static const std::vector<Named> named = make_table();
  return named;
}

}  // namespace

int named_count() { return static_cast<int>(table().size()); }

bool named_fits_external32(int index) {
  return table()[static_cast<size_t>(index)].external32 == Fit::kSame;
}

bool named_is_pair(int index) { return table()[static_cast<size_t>(index)].map.size() > 1; }

TypePtr make_named(int index) {
  const Named& named = table()[static_cast<size_t>(index)];
  auto type = std::make_shared<GenType>();
  type->handle = named.handle;
  type->map = named.map;
  if (describe_types) {
    type->words = named.words;
  }
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(named.handle, &lb, &extent);
  type->lb = lb;
  type->extent = extent;
  for (const Leaf& leaf : named.map) {
    type->size += leaf.bytes;
  }
  return type;
}

TypePtr make_byte() { return make_named(0); }
TypePtr make_int() { return make_named(1); }

}  // namespace random_test
