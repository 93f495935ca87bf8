// type_model.h - MPI datatypes together with their typemaps, written out leaf by leaf.
// The typemap is enumerated from the definition of each constructor while the MPI type is built,
// so it owes nothing to MPI_Pack nor to the library under test. Only the extent is asked of MPI,
// since the standard leaves the padding of structures to the implementation.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace random_test {

// One basic element. external32 reverses each unit of swap_bytes (a complex number has two).
struct Leaf {
  int64_t disp;
  uint8_t bytes;
  uint8_t swap_bytes;
};

struct GenType {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  bool owned = false;  // false: predefined, must not be freed
  std::vector<Leaf> map;
  int64_t lb = 0;
  int64_t extent = 0;
  int64_t size = 0;        // sum of the leaves' bytes
  bool has_empty = false;  // some part has no bytes; MPI_Pack of MPICH 4.0.2 may crash on these
  std::string words;

  GenType() = default;
  GenType(const GenType&) = delete;
  GenType& operator=(const GenType&) = delete;
  ~GenType();

  // Bytes touched by one element, relative to its origin: [low, high). {0, 0} if size is 0.
  int64_t low() const;
  int64_t high() const;
};

using TypePtr = std::shared_ptr<GenType>;

// Descriptions of types cost time; they are made only when this is set.
extern bool describe_types;

// --- Predefined types ---

// True if `index` (below named_count()) has the same size in external32 as in memory.
int named_count();
bool named_fits_external32(int index);
bool named_is_pair(int index);
TypePtr make_named(int index);
TypePtr make_byte();
TypePtr make_int();

// --- Constructors. Each builds the MPI type and its typemap; none commits. ---

TypePtr build_dup(const TypePtr& child);
TypePtr build_contiguous(const TypePtr& child, int count);
TypePtr build_vector(const TypePtr& child, int count, int block, int stride);
TypePtr build_hvector(const TypePtr& child, int count, int block, int64_t stride_bytes);

// Blocks of `child`; displacements count extents of the child (indexed) or bytes (hindexed).
struct Blocks {
  std::vector<int> lengths;
  std::vector<int64_t> displacements;
};
TypePtr build_indexed(const TypePtr& child, const Blocks& blocks);
TypePtr build_hindexed(const TypePtr& child, const Blocks& blocks);

// All blocks have the length blocks.lengths[0] (0 if there are none).
TypePtr build_indexed_block(const TypePtr& child, const Blocks& blocks);
TypePtr build_hindexed_block(const TypePtr& child, const Blocks& blocks);

TypePtr build_struct(const std::vector<TypePtr>& children, const Blocks& blocks);
TypePtr build_resized(const TypePtr& child, int64_t lb, int64_t extent);

struct Subarray {
  std::vector<int> sizes;
  std::vector<int> subsizes;
  std::vector<int> starts;
  int order = MPI_ORDER_C;
};
TypePtr build_subarray(const TypePtr& child, const Subarray& shape);

struct Darray {
  int ranks = 1;
  int rank = 0;
  std::vector<int> sizes;
  std::vector<int> distributions;
  std::vector<int> arguments;
  std::vector<int> processes;
  int order = MPI_ORDER_C;
};
TypePtr build_darray(const TypePtr& child, const Darray& shape);

// Commits the type if it is not predefined.
void commit(GenType& type);

// Compares size and true extent with what MPI says, and the order of bytes with MPI_Pack.
// Returns an empty string, or what differs. For testing the generator itself.
std::string compare_with_mpi(const GenType& type);

}  // namespace random_test
