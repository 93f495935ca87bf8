// The decoder follows a type's constructors from the outside in, by MPI's own record of them, and
// builds the Pattern from the inside out. Native bounds are MPI's (they hold the padding rules of
// the compiler); in a file representation they are computed by the standard's rules.
#include "datatype/decode.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "datatype/decode_cache.h"
#include "datatype/decode_contents.h"
#include "datatype/decode_layout.h"
#include "datatype/decode_named.h"
#include "datatype/pattern_node.h"

namespace longshore {
namespace {

class Decoder {
 public:
  // `element_size` may be null: native. It must outlive the decoder.
  explicit Decoder(const ElementSize* element_size) : element_size_(element_size) {}

  Result<TypeLayout> decode(MPI_Datatype type) const {
    auto contents = TypeContents::of(type);
    if (!contents) {
      return fail(contents.error());
    }
    if (TypeContents::is_leaf(contents->combiner())) {
      return element_size_ != nullptr ? layout_of_named_in_file(type, *element_size_)
                                      : layout_of_named(type);
    }
    auto layout = decode_derived(*contents);
    if (layout && element_size_ == nullptr) {
      return with_native_bounds(std::move(*layout), type);
    }
    return layout;
  }

 private:
  Result<TypeLayout> decode_derived(const TypeContents& contents) const;
  Result<TypeLayout> decode_struct(const TypeContents& contents) const;

  static Result<TypeLayout> with_native_bounds(TypeLayout layout, MPI_Datatype type) {
    MPI_Count lower = 0;
    MPI_Count extent = 0;
    if (PMPI_Type_get_extent_x(type, &lower, &extent) != MPI_SUCCESS) {
      return fail(ErrorClass::kType, "MPI_Type_get_extent_x refused the datatype");
    }
    layout.bounds = TypeBounds{true, false, false, lower, lower + extent};
    return layout;
  }

  const ElementSize* element_size_;
};

using Numbers = std::vector<int64_t>;

// (count, lengths..., displacements...), each displacement in units of `unit_bytes`.
std::vector<TypeBlock> blocks_of(const Numbers& numbers, int64_t unit_bytes) {
  const auto count = static_cast<size_t>(numbers[0]);
  std::vector<TypeBlock> blocks;
  blocks.reserve(count);
  for (size_t i = 1; i <= count; ++i) {
    blocks.push_back({numbers[i], multiply_bytes(numbers[count + i], unit_bytes)});
  }
  return blocks;
}

// (count, length, displacements...)
std::vector<TypeBlock> equal_blocks_of(const Numbers& numbers, int64_t unit_bytes) {
  std::vector<TypeBlock> blocks;
  blocks.reserve(numbers.size() - 2);
  for (size_t i = 2; i < numbers.size(); ++i) {
    blocks.push_back({numbers[1], multiply_bytes(numbers[i], unit_bytes)});
  }
  return blocks;
}

// (count, length, stride)
TypeLayout vector_of(const TypeLayout& child, const Numbers& numbers, int64_t unit_bytes) {
  return child.replicated(numbers[1], child.extent())
      .replicated(numbers[0], multiply_bytes(numbers[2], unit_bytes));
}

// (dimensions, sizes..., subsizes..., starts..., order)
TypeLayout subarray_of(const TypeLayout& child, const Numbers& numbers) {
  const auto dims = static_cast<size_t>(numbers[0]);
  std::vector<ArrayDimension> dimensions;
  for (size_t i = 1; i <= dims; ++i) {
    const int64_t subsize = numbers[dims + i];
    dimensions.push_back({numbers[i], numbers[2 * dims + i], 1, subsize, subsize, 0});
  }
  if (numbers[3 * dims + 1] == MPI_ORDER_C) {
    std::reverse(dimensions.begin(), dimensions.end());
  }
  return layout_of_array(child, dimensions);
}

// The length of the blocks a dimension is dealt out in.
int64_t darray_block(int64_t distribution, int64_t argument, int64_t size, int64_t processes) {
  if (distribution == MPI_DISTRIBUTE_NONE) {
    return std::max(size, int64_t{1});
  }
  if (argument != MPI_DISTRIBUTE_DFLT_DARG) {
    return argument;
  }
  const bool block = distribution == MPI_DISTRIBUTE_BLOCK;
  return block ? std::max((size + processes - 1) / processes, int64_t{1}) : 1;
}

// (size, rank, dimensions, sizes..., distributions..., arguments..., grid..., order). The process
// grid is row-major whatever the order of the array.
TypeLayout darray_of(const TypeLayout& child, const Numbers& numbers) {
  const auto dims = static_cast<size_t>(numbers[2]);
  const int64_t* sizes = numbers.data() + 3;
  const int64_t* distributions = sizes + dims;
  const int64_t* arguments = distributions + dims;
  const int64_t* grid = arguments + dims;
  std::vector<ArrayDimension> dimensions(dims);
  int64_t rank = numbers[1];
  for (size_t i = dims; i-- > 0;) {
    const bool none = distributions[i] == MPI_DISTRIBUTE_NONE;
    const int64_t block = darray_block(distributions[i], arguments[i], sizes[i], grid[i]);
    dimensions[i] = cyclic_dimension(sizes[i], block, grid[i], none ? 0 : rank % grid[i]);
    rank /= grid[i];
  }
  if (grid[dims] == MPI_ORDER_C) {
    std::reverse(dimensions.begin(), dimensions.end());
  }
  return layout_of_array(child, dimensions);
}

Result<TypeLayout> Decoder::decode_struct(const TypeContents& contents) const {
  const std::vector<TypeBlock> blocks = blocks_of(contents.numbers(), 1);
  std::vector<int64_t> offsets;
  std::vector<Pattern> patterns;
  TypeBounds bounds;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto field = decode(contents.types()[i]);
    if (!field) {
      return fail(field.error());
    }
    const auto& [count, at] = blocks[i];
    offsets.push_back(at);
    patterns.push_back(Pattern::repeat(count, field->extent(), field->pattern));
    bounds.join(field->bounds.replicated(count, field->extent(), at));
  }
  return TypeLayout{Pattern::sequence(offsets, patterns), bounds};
}

Result<TypeLayout> Decoder::decode_derived(const TypeContents& contents) const {
  const int combiner = plain_combiner(contents.combiner());
  if (combiner == MPI_COMBINER_STRUCT) {
    return decode_struct(contents);
  }
  if (contents.types().size() != 1) {
    return fail(ErrorClass::kType, "unknown combiner " + std::to_string(combiner));
  }
  auto child = decode(contents.types()[0]);
  if (!child) {
    return child;
  }
  const Numbers& numbers = contents.numbers();
  switch (combiner) {
    case MPI_COMBINER_DUP: return child;
    case MPI_COMBINER_CONTIGUOUS: return child->replicated(numbers[0], child->extent());
    case MPI_COMBINER_VECTOR: return vector_of(*child, numbers, child->extent());
    case MPI_COMBINER_HVECTOR: return vector_of(*child, numbers, 1);
    case MPI_COMBINER_INDEXED: return layout_of_blocks(*child, blocks_of(numbers, child->extent()));
    case MPI_COMBINER_HINDEXED: return layout_of_blocks(*child, blocks_of(numbers, 1));
    case MPI_COMBINER_INDEXED_BLOCK:
      return layout_of_blocks(*child, equal_blocks_of(numbers, child->extent()));
    case MPI_COMBINER_HINDEXED_BLOCK: return layout_of_blocks(*child, equal_blocks_of(numbers, 1));
    case MPI_COMBINER_SUBARRAY: return subarray_of(*child, numbers);
    case MPI_COMBINER_DARRAY: return darray_of(*child, numbers);
    case MPI_COMBINER_RESIZED:
      child->bounds = TypeBounds::marked(numbers[0], numbers[0] + numbers[1]);
      return child;
    default: return fail(ErrorClass::kType, "unknown combiner " + std::to_string(combiner));
  }
}

Result<DecodedType> decode_with(MPI_Datatype type, const ElementSize* element_size) {
  if (type == MPI_DATATYPE_NULL) {
    return fail(ErrorClass::kType, "MPI_DATATYPE_NULL");
  }
  auto layout = Decoder(element_size).decode(type);
  if (!layout) {
    return fail(layout.error());
  }
  const Extent bounds = layout->pattern.bounds();
  if (layout->pattern.size() >= Pattern::kMaxBytes || bounds.end >= Pattern::kMaxBytes ||
      bounds.begin <= -Pattern::kMaxBytes) {
    return fail(ErrorClass::kType, "the datatype spans more than 2^62 bytes");
  }
  return DecodedType{layout->pattern, layout->pattern.size(), layout->bounds.lower,
                     layout->extent()};
}

}  // namespace

Pattern DecodedType::instances(int64_t count) const {
  return Pattern::repeat(count, extent_bytes, pattern);
}

Result<DecodedType> decode(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) {
    return fail(ErrorClass::kType, "MPI_DATATYPE_NULL");
  }
  const int combiner = combiner_of(type);
  const bool derived = combiner >= 0 && !TypeContents::is_leaf(combiner);
  if (derived) {
    if (auto known = find_decoded(type)) {
      return std::move(*known);
    }
  }
  auto decoded = decode_with(type, nullptr);
  if (decoded && derived) {
    store_decoded(type, *decoded);
  }
  return decoded;
}

Result<Pattern> decode_buffer(MPI_Datatype type, int64_t count) {
  // Named types are never freed, so that a handle means the same for ever.
  struct Recent {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int64_t count = 0;
    Pattern pattern;
  };
  constexpr size_t kRecent = 8;  // rows of a block differ in length
  static thread_local std::array<Recent, kRecent> all;
  // Lengths are often multiples of the same number: the upper bits tell them apart.
  const auto bits = static_cast<uint64_t>(count);
  Recent& recent = all[(bits ^ bits >> 3U ^ bits >> 6U) % kRecent];
  if (type == recent.type && count == recent.count && type != MPI_DATATYPE_NULL) {
    return recent.pattern;
  }
  const auto decoded = decode(type);
  if (!decoded) {
    return fail(decoded.error());
  }
  Pattern pattern = decoded->instances(count);
  if (TypeContents::is_leaf(combiner_of(type))) {
    recent = {type, count, pattern};
  }
  return pattern;
}

Result<DecodedType> decode_in_file(MPI_Datatype type, const ElementSize& element_size) {
  return decode_with(type, &element_size);
}

}  // namespace longshore
