#include "plan.h"

#include "rng.h"

namespace random_test {

std::vector<int64_t> memory_order(const Op& op, bool external32) {
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(op.requested_bytes()));
  for (int64_t i = 0; i < op.count; ++i) {
    for (const Leaf& leaf : op.type->map) {
      const int64_t at = i * op.type->extent + leaf.disp;
      for (int64_t b = 0; b < leaf.bytes; ++b) {
        const int64_t unit = leaf.swap_bytes;
        const int64_t mirrored = b / unit * unit + (unit - 1 - b % unit);
        order.push_back(at + (external32 ? mirrored : b));
      }
    }
  }
  return order;
}

uint8_t fill_byte(uint64_t seed, int64_t offset) {
  const auto word = static_cast<uint64_t>(offset) >> 3;
  const auto shift = static_cast<unsigned>(offset & 7) * 8;
  return static_cast<uint8_t>(mix(seed, word) >> shift);
}

std::string describe(const Op& op) {
  std::string text = "op " + std::to_string(op.id) + " rank " + std::to_string(op.rank) + " ";
  text += op.how == How::kNonblocking ? "i" : "";
  text += op.write ? "write" : "read";
  text += op.where == Where::kExplicit ? "_at" : "";
  text += op.where == Where::kShared ? (op.collective ? "_ordered" : "_shared") : "";
  text += op.collective && op.where != Where::kShared ? "_all" : "";
  text += op.how == How::kSplit ? "_begin/end" : "";
  if (op.seek) {
    text += " after seek(" + std::to_string(op.seek->offset_etypes) + ", " +
            (op.seek->whence == MPI_SEEK_SET ? "SET"
                                             : (op.seek->whence == MPI_SEEK_CUR ? "CUR" : "END")) +
            ")";
  }
  if (op.where == Where::kExplicit) {
    text += " offset " + std::to_string(op.offset_etypes);
  }
  text += " count " + std::to_string(op.count) + " (" + std::to_string(op.requested_bytes()) +
          " bytes)";
  text += op.bottom ? " MPI_BOTTOM" : "";
  text += op.large_count ? " _c" : "";
  text += op.short_read ? " ends at EOF after " + std::to_string(op.positions.size()) : "";
  text += op.type->words.empty() ? "" : " type " + op.type->words;
  if (!op.positions.empty()) {
    text += " file [" + std::to_string(op.positions.front()) + ".." +
            std::to_string(op.positions.back()) + "]";
  }
  return text;
}

}  // namespace random_test
