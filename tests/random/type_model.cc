#include "type_model.h"

#include <algorithm>
#include <cstring>

namespace random_test {

bool describe_types = false;

GenType::~GenType() {
  if (owned && handle != MPI_DATATYPE_NULL) {
    MPI_Type_free(&handle);
  }
}

int64_t GenType::low() const {
  int64_t low = map.empty() ? 0 : map.front().disp;
  for (const Leaf& leaf : map) {
    low = std::min(low, leaf.disp);
  }
  return low;
}

int64_t GenType::high() const {
  int64_t high = map.empty() ? 0 : map.front().disp + map.front().bytes;
  for (const Leaf& leaf : map) {
    high = std::max(high, leaf.disp + leaf.bytes);
  }
  return high;
}

namespace {

template <typename T>
std::string list(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) {
    text += (text.size() > 1 ? "," : "") + std::to_string(value);
  }
  return text + "]";
}

// Takes over `handle`, asks MPI for its extent and sums up the leaves.
TypePtr finish(TypePtr type, MPI_Datatype handle) {
  type->handle = handle;
  type->owned = true;
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  MPI_Type_get_extent_x(handle, &lb, &extent);
  type->lb = lb;
  type->extent = extent;
  for (const Leaf& leaf : type->map) {
    type->size += leaf.bytes;
  }
  type->has_empty |= type->size == 0;
  return type;
}

void append(GenType& out, const GenType& child, int64_t at_bytes) {
  out.has_empty |= child.has_empty;
  for (const Leaf& leaf : child.map) {
    out.map.push_back({leaf.disp + at_bytes, leaf.bytes, leaf.swap_bytes});
  }
}

void append_block(GenType& out, const GenType& child, int64_t at_bytes, int64_t length) {
  out.has_empty |= length == 0 || child.size == 0;
  for (int64_t i = 0; i < length; ++i) {
    append(out, child, at_bytes + i * child.extent);
  }
}

TypePtr with_words(const char* name, const TypePtr& child, const std::string& arguments) {
  auto type = std::make_shared<GenType>();
  if (describe_types) {
    type->words = std::string(name) + "(" + arguments + " of " + child->words + ")";
  }
  return type;
}

std::string describe(const Blocks& blocks) {
  return describe_types ? list(blocks.lengths) + "@" + list(blocks.displacements) : std::string();
}

std::vector<int> narrow(const std::vector<int64_t>& values) {
  std::vector<int> out;
  for (int64_t value : values) {
    out.push_back(static_cast<int>(value));
  }
  return out;
}

std::vector<MPI_Aint> to_aint(const std::vector<int64_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

TypePtr build_dup(const TypePtr& child) {
  TypePtr type = with_words("dup", child, "");
  type->map = child->map;
  MPI_Datatype handle;
  MPI_Type_dup(child->handle, &handle);
  type->has_empty = child->has_empty;
  return finish(type, handle);
}

TypePtr build_contiguous(const TypePtr& child, int count) {
  TypePtr type = with_words("contiguous", child, std::to_string(count));
  append_block(*type, *child, 0, count);
  MPI_Datatype handle;
  MPI_Type_contiguous(count, child->handle, &handle);
  return finish(type, handle);
}

TypePtr build_vector(const TypePtr& child, int count, int block, int stride) {
  TypePtr type = with_words("vector", child, list(std::vector<int>{count, block, stride}));
  for (int64_t i = 0; i < count; ++i) {
    append_block(*type, *child, i * stride * child->extent, block);
  }
  MPI_Datatype handle;
  MPI_Type_vector(count, block, stride, child->handle, &handle);
  return finish(type, handle);
}

TypePtr build_hvector(const TypePtr& child, int count, int block, int64_t stride_bytes) {
  TypePtr type =
      with_words("hvector", child, list(std::vector<int64_t>{count, block, stride_bytes}));
  for (int64_t i = 0; i < count; ++i) {
    append_block(*type, *child, i * stride_bytes, block);
  }
  MPI_Datatype handle;
  MPI_Type_create_hvector(count, block, stride_bytes, child->handle, &handle);
  return finish(type, handle);
}

TypePtr build_indexed(const TypePtr& child, const Blocks& blocks) {
  TypePtr type = with_words("indexed", child, describe(blocks));
  for (size_t i = 0; i < blocks.lengths.size(); ++i) {
    append_block(*type, *child, blocks.displacements[i] * child->extent, blocks.lengths[i]);
  }
  const std::vector<int> displacements = narrow(blocks.displacements);
  MPI_Datatype handle;
  MPI_Type_indexed(static_cast<int>(displacements.size()), blocks.lengths.data(),
                   displacements.data(), child->handle, &handle);
  return finish(type, handle);
}

TypePtr build_hindexed(const TypePtr& child, const Blocks& blocks) {
  TypePtr type = with_words("hindexed", child, describe(blocks));
  for (size_t i = 0; i < blocks.lengths.size(); ++i) {
    append_block(*type, *child, blocks.displacements[i], blocks.lengths[i]);
  }
  const std::vector<MPI_Aint> displacements = to_aint(blocks.displacements);
  MPI_Datatype handle;
  MPI_Type_create_hindexed(static_cast<int>(displacements.size()), blocks.lengths.data(),
                           displacements.data(), child->handle, &handle);
  return finish(type, handle);
}

TypePtr build_indexed_block(const TypePtr& child, const Blocks& blocks) {
  TypePtr type = with_words("indexed_block", child, describe(blocks));
  const int length = blocks.lengths.empty() ? 0 : blocks.lengths[0];
  for (int64_t displacement : blocks.displacements) {
    append_block(*type, *child, displacement * child->extent, length);
  }
  const std::vector<int> displacements = narrow(blocks.displacements);
  MPI_Datatype handle;
  MPI_Type_create_indexed_block(static_cast<int>(displacements.size()), length,
                                displacements.data(), child->handle, &handle);
  return finish(type, handle);
}

TypePtr build_hindexed_block(const TypePtr& child, const Blocks& blocks) {
  TypePtr type = with_words("hindexed_block", child, describe(blocks));
  const int length = blocks.lengths.empty() ? 0 : blocks.lengths[0];
  for (int64_t displacement : blocks.displacements) {
    append_block(*type, *child, displacement, length);
  }
  const std::vector<MPI_Aint> displacements = to_aint(blocks.displacements);
  MPI_Datatype handle;
  MPI_Type_create_hindexed_block(static_cast<int>(displacements.size()), length,
                                 displacements.data(), child->handle, &handle);
  return finish(type, handle);
}

TypePtr build_struct(const std::vector<TypePtr>& children, const Blocks& blocks) {
  auto type = std::make_shared<GenType>();
  std::vector<MPI_Datatype> handles;
  for (size_t i = 0; i < children.size(); ++i) {
    append_block(*type, *children[i], blocks.displacements[i], blocks.lengths[i]);
    handles.push_back(children[i]->handle);
    if (describe_types) {
      type->words += (i > 0 ? "; " : "struct(") + std::to_string(blocks.lengths[i]) + "@" +
                     std::to_string(blocks.displacements[i]) + " of " + children[i]->words;
    }
  }
  type->words += describe_types ? (children.empty() ? "struct()" : ")") : "";
  const std::vector<MPI_Aint> displacements = to_aint(blocks.displacements);
  MPI_Datatype handle;
  MPI_Type_create_struct(static_cast<int>(children.size()), blocks.lengths.data(),
                         displacements.data(), handles.data(), &handle);
  return finish(type, handle);
}

TypePtr build_resized(const TypePtr& child, int64_t lb, int64_t extent) {
  TypePtr type = with_words("resized", child, list(std::vector<int64_t>{lb, extent}));
  type->map = child->map;
  MPI_Datatype handle;
  MPI_Type_create_resized(child->handle, lb, extent, &handle);
  type->has_empty = child->has_empty;
  return finish(type, handle);
}

namespace {

// Appends the elements at the cross product of `indices`, one list per dimension, of an array of
// the given sizes; the dimension that varies fastest is the last in C order, the first in
// Fortran's.
void append_grid(GenType& out, const GenType& child, const std::vector<int>& sizes,
                 const std::vector<std::vector<int>>& indices, int order) {
  const size_t dimensions = sizes.size();
  std::vector<int64_t> offsets{0};
  for (size_t step = 0; step < dimensions; ++step) {
    const size_t d = order == MPI_ORDER_C ? step : dimensions - 1 - step;
    std::vector<int64_t> next;
    for (int64_t offset : offsets) {
      for (int index : indices[d]) {
        next.push_back(offset * sizes[d] + index);
      }
    }
    offsets.swap(next);
  }
  for (int64_t offset : offsets) {
    append(out, child, offset * child.extent);
  }
}

// The indices that process `at` of `processes` owns in one dimension, in ascending order.
std::vector<int> owned_indices(const Darray& shape, size_t d, int at) {
  const int size = shape.sizes[d];
  const int processes = shape.processes[d];
  std::vector<int> owned;
  int block = shape.arguments[d];
  if (shape.distributions[d] == MPI_DISTRIBUTE_NONE) {
    block = size;
  } else if (block == MPI_DISTRIBUTE_DFLT_DARG) {
    block = shape.distributions[d] == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
  }
  for (int i = 0; i < size; ++i) {
    if ((i / block) % processes == at) {
      owned.push_back(i);
    }
  }
  return owned;
}

}  // namespace

TypePtr build_subarray(const TypePtr& child, const Subarray& shape) {
  const std::string words = describe_types
                                ? list(shape.subsizes) + " of " + list(shape.sizes) + "@" +
                                      list(shape.starts) + (shape.order == MPI_ORDER_C ? "C" : "F")
                                : std::string();
  TypePtr type = with_words("subarray", child, words);
  std::vector<std::vector<int>> indices(shape.sizes.size());
  for (size_t d = 0; d < shape.sizes.size(); ++d) {
    for (int i = 0; i < shape.subsizes[d]; ++i) {
      indices[d].push_back(shape.starts[d] + i);
    }
  }
  append_grid(*type, *child, shape.sizes, indices, shape.order);
  MPI_Datatype handle;
  MPI_Type_create_subarray(static_cast<int>(shape.sizes.size()), shape.sizes.data(),
                           shape.subsizes.data(), shape.starts.data(), shape.order, child->handle,
                           &handle);
  return finish(type, handle);
}

TypePtr build_darray(const TypePtr& child, const Darray& shape) {
  const std::string words =
      describe_types
          ? "rank " + std::to_string(shape.rank) + " of " + list(shape.processes) + " sizes " +
                list(shape.sizes) + " distribution " + list(shape.distributions) + " argument " +
                list(shape.arguments) + (shape.order == MPI_ORDER_C ? " C" : " F")
          : std::string();
  TypePtr type = with_words("darray", child, words);
  const size_t dimensions = shape.sizes.size();
  std::vector<std::vector<int>> indices(dimensions);
  int rest = shape.rank;  // the process grid is row major whatever the order of the array
  for (size_t d = dimensions; d-- > 0;) {
    indices[d] = owned_indices(shape, d, rest % shape.processes[d]);
    rest /= shape.processes[d];
  }
  append_grid(*type, *child, shape.sizes, indices, shape.order);
  MPI_Datatype handle;
  MPI_Type_create_darray(shape.ranks, shape.rank, static_cast<int>(dimensions), shape.sizes.data(),
                         shape.distributions.data(), shape.arguments.data(), shape.processes.data(),
                         shape.order, child->handle, &handle);
  return finish(type, handle);
}

void commit(GenType& type) {
  if (type.owned) {
    MPI_Type_commit(&type.handle);
  }
}

namespace {

std::string compare_pack(const GenType& type) {
  const int64_t low = type.low();
  std::vector<unsigned char> memory(static_cast<size_t>(type.high() - low));
  for (size_t i = 0; i < memory.size(); ++i) {
    memory[i] = static_cast<unsigned char>(i * 37 + (i >> 8) * 11);
  }
  std::vector<unsigned char> packed(static_cast<size_t>(type.size) + 64);
  int position = 0;
  MPI_Pack(memory.data() - low, 1, type.handle, packed.data(), static_cast<int>(packed.size()),
           &position, MPI_COMM_SELF);
  size_t k = 0;
  for (const Leaf& leaf : type.map) {
    const bool padded = leaf.bytes == 16 && leaf.swap_bytes == 16;  // long double: 6 idle bytes
    if (!padded &&
        std::memcmp(&packed[k], &memory[static_cast<size_t>(leaf.disp - low)], leaf.bytes) != 0) {
      return "MPI_Pack differs at byte " + std::to_string(k);
    }
    k += leaf.bytes;
  }
  return {};
}

}  // namespace

std::string compare_with_mpi(const GenType& type) {
  MPI_Count size = 0;
  MPI_Type_size_x(type.handle, &size);
  if (size != type.size) {
    return "size " + std::to_string(type.size) + ", MPI says " + std::to_string(size);
  }
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  MPI_Type_get_true_extent_x(type.handle, &lb, &extent);
  if (type.size == 0) {
    return {};
  }
  if (lb != type.low() || extent != type.high() - type.low()) {
    return "true extent [" + std::to_string(type.low()) + "," + std::to_string(type.high()) +
           "), MPI says [" + std::to_string(lb) + "," + std::to_string(lb + extent) + ")";
  }
  return type.has_empty ? std::string() : compare_pack(type);
}

}  // namespace random_test
