// shape.h - a layout of bytes, as an MPI datatype and as the plain list of its pieces.
//
// The datatype is what the program hands to MPI-IO; the pieces are how the driver fills memory and
// checks the file. Both come from one description, but by separate arithmetic: a library that reads
// a datatype wrongly is found out.
#pragma once
#include <mpi.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace longshore::bench {

struct Piece {
  int64_t offset = 0;
  int64_t length = 0;
};

// Owns its datatype (committed; MPI_BYTE may stand there too). Pieces are in the datatype's order,
// neighbours merged.
class Shape {
 public:
  Shape(MPI_Datatype type, std::vector<Piece> pieces);
  Shape(Shape&& other) noexcept;
  Shape& operator=(Shape&& other) noexcept;
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
  ~Shape();

  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] int64_t size_bytes() const;    // without holes
  [[nodiscard]] int64_t extent_bytes() const;  // what the next copy of it is shifted by
  [[nodiscard]] bool gapless() const;          // copy after copy is one run of bytes from 0 on

 private:
  MPI_Datatype type_;
  std::vector<Piece> pieces_;
};

// A part of an array of three dimensions, the last of which is the fastest.
struct Box {
  std::array<int, 3> whole;
  std::array<int, 3> part;
  std::array<int, 3> start;
};

// MPI_BYTE itself: what a program without datatypes hands to its calls.
[[nodiscard]] Shape plain_byte();
[[nodiscard]] Shape contiguous(int64_t bytes);
// One block, and as its extent the stride to the next: as a view, blocks without end.
[[nodiscard]] Shape strided(int block_bytes, int64_t stride_bytes);
// MPI_Type_create_subarray of elements of element_bytes.
[[nodiscard]] Shape subarray(const Box& box, int element_bytes);
// MPI_Type_create_indexed_block: blocks of block_bytes at multiples of block_bytes.
[[nodiscard]] Shape blocks_at(int block_bytes, const std::vector<int>& places);
// `count` copies, one after the other by the shape's extent.
[[nodiscard]] Shape repeated(const Shape& shape, int count);
// MPI_Type_create_struct: each shape at its offset; extent_bytes is that of the whole.
[[nodiscard]] Shape joined(const std::vector<std::pair<int64_t, Shape>>& parts,
                           int64_t extent_bytes);

}  // namespace longshore::bench
