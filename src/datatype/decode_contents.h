// datatype/decode_contents.h - what a datatype was built from. For the decoder only.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/result.h"

namespace longshore {

// The constructor call behind a datatype. The derived handles in `types` belong to this value and
// are freed with it. The int, address and large-count arguments are joined to one list, in the
// order of the constructor's int form, which is the same for all three forms of MPI's calls.
class TypeContents {
 public:
  // Fails with kType if MPI refuses the handle. Leaves have no numbers and no types.
  [[nodiscard]] static Result<TypeContents> of(MPI_Datatype type);

  TypeContents(TypeContents&& other) noexcept;
  TypeContents& operator=(TypeContents&&) = delete;
  ~TypeContents();

  [[nodiscard]] int combiner() const { return combiner_; }
  [[nodiscard]] const std::vector<int64_t>& numbers() const { return numbers_; }
  [[nodiscard]] const std::vector<MPI_Datatype>& types() const { return types_; }

  // Predefined: named, or one of the parameterised Fortran types.
  [[nodiscard]] static bool is_leaf(int combiner);

 private:
  explicit TypeContents(int combiner) : combiner_(combiner) {}
  int combiner_;
  std::vector<int64_t> numbers_;
  std::vector<MPI_Datatype> types_;
};

// The combiner of a type, or < 0 if MPI refuses the handle.
[[nodiscard]] int combiner_of(MPI_Datatype type);

// MPI's older forms for Fortran INTEGER addresses carry the same arguments as the plain ones;
// returns the plain combiner for them and any other unchanged.
[[nodiscard]] int plain_combiner(int combiner);

}  // namespace longshore
