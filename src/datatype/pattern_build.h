// datatype/pattern_build.h - finished nodes from their parts. For the files of this folder only.
//
// These compute what a node knows about itself (size, hull, order, fingerprint) in time
// proportional to the number of children; the normalisation of shapes is in pattern.cc.
#pragma once
#include <vector>

#include "datatype/pattern_node.h"

namespace longshore {

using NodeRef = Pattern::Node::Ref;

// REQUIRES: length > 0.
[[nodiscard]] NodeRef make_run(int64_t length);
// REQUIRES: count > 1, child not null. A node without holes comes back as a run.
[[nodiscard]] NodeRef make_repeat(int64_t count, int64_t stride, NodeRef child);
// REQUIRES for all below: at least two offsets, the first one 0.
[[nodiscard]] NodeRef make_offsets(std::vector<int64_t> offsets, NodeRef child);
// `starts` has one entry more than offsets, rising from 0.
[[nodiscard]] NodeRef make_pieces(std::vector<int64_t> offsets, std::vector<int64_t> starts);
[[nodiscard]] NodeRef make_sequence(std::vector<int64_t> offsets, std::vector<NodeRef> children);

}  // namespace longshore
