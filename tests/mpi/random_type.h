// mpi/random_type.h - draws MPI datatypes of all constructors, for tests against the MPI itself.
#pragma once
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/extent.h"

namespace longshore {

// Owns a datatype; predefined ones are never freed.
class Type {
 public:
  static Type named(MPI_Datatype handle) { return Type(handle, false); }
  static Type derived(MPI_Datatype handle) { return Type(handle, true); }
  Type(Type&& other) noexcept
      : handle_(other.handle_), owned_(std::exchange(other.owned_, false)) {}
  Type& operator=(Type&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Type() {
    if (owned_) {
      MPI_Type_free(&handle_);
    }
  }
  [[nodiscard]] MPI_Datatype get() const { return handle_; }
  [[nodiscard]] int64_t extent() const {
    MPI_Count lower = 0;
    MPI_Count extent = 0;
    MPI_Type_get_extent_x(handle_, &lower, &extent);
    return extent;
  }
  [[nodiscard]] int64_t size() const {
    MPI_Count bytes = 0;
    MPI_Type_size_x(handle_, &bytes);
    return bytes;
  }
  [[nodiscard]] Extent true_bounds() const {
    if (size() == 0) {
      return {};  // Open MPI gives the greatest number for the bound of nothing
    }
    MPI_Count lower = 0;
    MPI_Count extent = 0;
    MPI_Type_get_true_extent_x(handle_, &lower, &extent);
    return {lower, lower + extent};
  }

 private:
  Type(MPI_Datatype handle, bool owned) : handle_(handle), owned_(owned) {}
  MPI_Datatype handle_;
  bool owned_;
};

// Calls an MPI type constructor whose last argument is the new handle.
template <typename Make>
Type made(Make&& make) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  make(&handle);
  return Type::derived(handle);
}

// A type as MPI records it: combiner(numbers; types).
[[nodiscard]] std::string describe(MPI_Datatype type);

// The same seed gives the same types. What one of the MPIs itself gets wrong is left out; the
// comments in random_type.cc say what.
class TypeSource {
 public:
  explicit TypeSource(uint64_t seed) : random_(seed) {}

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  // A type of any constructor over types of less depth, small enough to compare byte by byte.
  Type any(int depth);

 private:
  Type part(int depth);
  Type leaf();
  Type derived(int depth);
  bool large() { return MPI_VERSION >= 4 && draw(0, 2) == 0; }

  Type dup(const Type& child) {
    return made([&](MPI_Datatype* out) { MPI_Type_dup(child.get(), out); });
  }
  Type contiguous(const Type& child);
  Type vector(const Type& child);
  Type hvector(const Type& child);
  Type indexed(const Type& child);
  Type hindexed(const Type& child);
  Type equal_blocks(const Type& child);
  Type hequal_blocks(const Type& child);
  Type resized(const Type& child);
  Type subarray(const Type& child);
  Type darray(const Type& child);
  Type structure(int depth);

  template <typename T>
  std::vector<T> numbers(size_t count, int64_t low, int64_t high) {
    std::vector<T> list(count);
    std::generate(list.begin(), list.end(), [&] { return static_cast<T>(draw(low, high)); });
    return list;
  }
  int small(int64_t low, int64_t high) { return static_cast<int>(draw(low, high)); }
  // Never -1 byte.
  int64_t stride(int64_t low, int64_t high, int64_t unit_bytes) {
    const int64_t drawn = draw(low, high);
    return drawn * unit_bytes == -1 ? 2 : drawn;
  }

  std::mt19937_64 random_;
};

}  // namespace longshore
