#include "datatype/decode_contents.h"

#include <utility>

namespace longshore {
namespace {

template <typename T>
void append(std::vector<int64_t>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

#if MPI_VERSION >= 4

// The large-count forms of the array constructors keep small arguments as ints and move the sizes
// to the counts; put them back behind the `lead` first ints, where the int form has them.
std::vector<int64_t> in_int_order(int combiner, const std::vector<int>& ints,
                                  const std::vector<MPI_Count>& counts) {
  const int lead = combiner == MPI_COMBINER_SUBARRAY ? 1 : combiner == MPI_COMBINER_DARRAY ? 3 : 0;
  std::vector<int64_t> numbers(ints.begin(), ints.end());
  numbers.insert(numbers.begin() + (counts.empty() ? 0 : lead), counts.begin(), counts.end());
  return numbers;
}

#endif

}  // namespace

bool TypeContents::is_leaf(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

#if MPI_VERSION >= 4

int combiner_of(MPI_Datatype type) {
  MPI_Count sizes[4];
  int combiner = 0;
  const int rc =
      PMPI_Type_get_envelope_c(type, &sizes[0], &sizes[1], &sizes[2], &sizes[3], &combiner);
  return rc == MPI_SUCCESS ? combiner : -1;
}

Result<TypeContents> TypeContents::of(MPI_Datatype type) {
  MPI_Count n[4];
  int combiner = 0;
  if (PMPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &combiner) != MPI_SUCCESS) {
    return fail(ErrorClass::kType, "MPI_Type_get_envelope_c refused the datatype");
  }
  TypeContents contents(combiner);
  if (is_leaf(combiner)) {
    return contents;
  }
  std::vector<int> ints(static_cast<size_t>(n[0]));
  std::vector<MPI_Aint> addresses(static_cast<size_t>(n[1]));
  std::vector<MPI_Count> counts(static_cast<size_t>(n[2]));
  std::vector<MPI_Datatype> types(static_cast<size_t>(n[3]));
  if (PMPI_Type_get_contents_c(type, n[0], n[1], n[2], n[3], ints.data(), addresses.data(),
                               counts.data(), types.data()) != MPI_SUCCESS) {
    return fail(ErrorClass::kType, "MPI_Type_get_contents_c refused the datatype");
  }
  contents.types_ = std::move(types);
  contents.numbers_ = in_int_order(combiner, ints, counts);
  append(contents.numbers_, addresses);
  return contents;
}

#else

int combiner_of(MPI_Datatype type) {
  int sizes[3];
  int combiner = 0;
  const int rc = PMPI_Type_get_envelope(type, &sizes[0], &sizes[1], &sizes[2], &combiner);
  return rc == MPI_SUCCESS ? combiner : -1;
}

Result<TypeContents> TypeContents::of(MPI_Datatype type) {
  int n[3];
  int combiner = 0;
  if (PMPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner) != MPI_SUCCESS) {
    return fail(ErrorClass::kType, "MPI_Type_get_envelope refused the datatype");
  }
  TypeContents contents(combiner);
  if (is_leaf(combiner)) {
    return contents;
  }
  std::vector<int> ints(static_cast<size_t>(n[0]));
  std::vector<MPI_Aint> addresses(static_cast<size_t>(n[1]));
  std::vector<MPI_Datatype> types(static_cast<size_t>(n[2]));
  if (PMPI_Type_get_contents(type, n[0], n[1], n[2], ints.data(), addresses.data(), types.data()) !=
      MPI_SUCCESS) {
    return fail(ErrorClass::kType, "MPI_Type_get_contents refused the datatype");
  }
  contents.types_ = std::move(types);
  append(contents.numbers_, ints);
  append(contents.numbers_, addresses);
  return contents;
}

#endif

TypeContents::TypeContents(TypeContents&& other) noexcept
    : combiner_(other.combiner_),
      numbers_(std::move(other.numbers_)),
      types_(std::exchange(other.types_, {})) {}

TypeContents::~TypeContents() {
  for (MPI_Datatype type : types_) {
    const int combiner = combiner_of(type);
    if (combiner >= 0 && !is_leaf(combiner)) {
      PMPI_Type_free(&type);
    }
  }
}

int plain_combiner(int combiner) {
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 6
  // Its header may hide these names; each value stands right before the plain one.
  constexpr int kHvectorInteger = MPI_COMBINER_HVECTOR - 1;
  constexpr int kHindexedInteger = MPI_COMBINER_HINDEXED - 1;
  constexpr int kStructInteger = MPI_COMBINER_STRUCT - 1;
#elif defined(MPICH_VERSION)
  constexpr int kHvectorInteger = MPI_COMBINER_HVECTOR_INTEGER;
  constexpr int kHindexedInteger = MPI_COMBINER_HINDEXED_INTEGER;
  constexpr int kStructInteger = MPI_COMBINER_STRUCT_INTEGER;
#else
  constexpr int kHvectorInteger = -1;
  constexpr int kHindexedInteger = -2;
  constexpr int kStructInteger = -3;
#endif
  switch (combiner) {
    case kHvectorInteger: return MPI_COMBINER_HVECTOR;
    case kHindexedInteger: return MPI_COMBINER_HINDEXED;
    case kStructInteger: return MPI_COMBINER_STRUCT;
    default: return combiner;
  }
}

}  // namespace longshore
