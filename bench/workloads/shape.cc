#include "workloads/shape.h"

#include <utility>

#include "workloads/check.h"

namespace longshore::bench {
namespace {

void append(std::vector<Piece>& pieces, Piece piece) {
  if (!pieces.empty() && pieces.back().offset + pieces.back().length == piece.offset) {
    pieces.back().length += piece.length;
  } else if (piece.length > 0) {
    pieces.push_back(piece);
  }
}

void append_shifted(std::vector<Piece>& pieces, const std::vector<Piece>& more, int64_t shift) {
  for (const auto& piece : more) {
    append(pieces, {piece.offset + shift, piece.length});
  }
}

// A datatype for building others; freed when that is done.
class Element {
 public:
  explicit Element(int bytes) {
    check(MPI_Type_contiguous(bytes, MPI_BYTE, &type_), "MPI_Type_contiguous");
  }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;
  ~Element() { MPI_Type_free(&type_); }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

MPI_Datatype resized(MPI_Datatype inner, int64_t extent_bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_resized(inner, 0, extent_bytes, &type), "MPI_Type_create_resized");
  return type;
}

}  // namespace

Shape::Shape(MPI_Datatype type, std::vector<Piece> pieces)
    : type_(type), pieces_(std::move(pieces)) {
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

Shape::Shape(Shape&& other) noexcept
    : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)), pieces_(std::move(other.pieces_)) {}

Shape& Shape::operator=(Shape&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(pieces_, other.pieces_);
  return *this;
}

Shape::~Shape() {
  if (type_ != MPI_DATATYPE_NULL && type_ != MPI_BYTE) {
    MPI_Type_free(&type_);
  }
}

int64_t Shape::size_bytes() const {
  int64_t bytes = 0;
  for (const auto& piece : pieces_) {
    bytes += piece.length;
  }
  return bytes;
}

int64_t Shape::extent_bytes() const {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  check(MPI_Type_get_extent(type_, &lower, &extent), "MPI_Type_get_extent");
  return extent;
}

bool Shape::gapless() const {
  return pieces_.size() == 1 && pieces_.front().offset == 0 &&
         pieces_.front().length == extent_bytes();
}

Shape plain_byte() { return {MPI_BYTE, {{0, 1}}}; }

Shape contiguous(int64_t bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type), "MPI_Type_contiguous");
  return {type, {{0, bytes}}};
}

Shape strided(int block_bytes, int64_t stride_bytes) {
  const Element block(block_bytes);
  return {resized(block.type(), stride_bytes), {{0, block_bytes}}};
}

Shape subarray(const Box& box, int element_bytes) {
  const Element element(element_bytes);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_subarray(3, box.whole.data(), box.part.data(), box.start.data(),
                                 MPI_ORDER_C, element.type(), &type),
        "MPI_Type_create_subarray");
  std::vector<Piece> pieces;
  for (int64_t i = box.start[0]; i < box.start[0] + box.part[0]; ++i) {
    for (int64_t j = box.start[1]; j < box.start[1] + box.part[1]; ++j) {
      const int64_t row = (i * box.whole[1] + j) * box.whole[2] + box.start[2];
      append(pieces, {row * element_bytes, int64_t{box.part[2]} * element_bytes});
    }
  }
  return {type, std::move(pieces)};
}

Shape blocks_at(int block_bytes, const std::vector<int>& places) {
  const Element block(block_bytes);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_indexed_block(static_cast<int>(places.size()), 1, places.data(),
                                      block.type(), &type),
        "MPI_Type_create_indexed_block");
  std::vector<Piece> pieces;
  for (const int place : places) {
    append(pieces, {int64_t{place} * block_bytes, block_bytes});
  }
  return {type, std::move(pieces)};
}

Shape repeated(const Shape& shape, int count) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(count, shape.type(), &type), "MPI_Type_contiguous");
  const int64_t extent = shape.extent_bytes();
  std::vector<Piece> pieces;
  for (int i = 0; i < count; ++i) {
    append_shifted(pieces, shape.pieces(), i * extent);
  }
  return {type, std::move(pieces)};
}

Shape joined(const std::vector<std::pair<int64_t, Shape>>& parts, int64_t extent_bytes) {
  std::vector<int> lengths(parts.size(), 1);
  std::vector<MPI_Aint> offsets;
  std::vector<MPI_Datatype> types;
  std::vector<Piece> pieces;
  for (const auto& [offset, shape] : parts) {
    offsets.push_back(offset);
    types.push_back(shape.type());
    append_shifted(pieces, shape.pieces(), offset);
  }
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  check(MPI_Type_create_struct(static_cast<int>(parts.size()), lengths.data(), offsets.data(),
                               types.data(), &inner),
        "MPI_Type_create_struct");
  const MPI_Datatype type = resized(inner, extent_bytes);
  MPI_Type_free(&inner);
  return {type, std::move(pieces)};
}

}  // namespace longshore::bench
