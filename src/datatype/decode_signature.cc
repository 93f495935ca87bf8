#include "datatype/decode_signature.h"

#include "datatype/decode.h"
#include "datatype/decode_contents.h"

namespace longshore {

namespace {

constexpr size_t kMaxRuns = size_t{1} << 22;
using Runs = std::vector<ItemRun>;

void append(Runs& runs, const ItemRun& run) {
  if (!runs.empty() && runs.back().named == run.named) {
    runs.back().count += run.count;
  } else if (run.count > 0) {
    runs.push_back(run);
  }
}

// Appends `times` copies of `part`. False if that makes too many runs.
bool append(Runs& runs, const Runs& part, int64_t times) {
  if (part.size() == 1) {
    append(runs, {part[0].named, part[0].count * times});
    return true;
  }
  for (int64_t i = 0; i < times && !part.empty(); ++i) {
    for (const auto& run : part) {
      append(runs, run);
    }
    if (runs.size() > kMaxRuns) {
      return false;
    }
  }
  return true;
}

tl::unexpected<Error> too_many() {
  return fail(ErrorClass::kConversion, "a datatype of too many different items to convert");
}

Result<int64_t> size_of(MPI_Datatype type) {
  MPI_Count bytes = 0;
  if (PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS) {
    return fail(ErrorClass::kType, "MPI_Type_size_x refused the datatype");
  }
  return bytes;
}

// All constructors but struct repeat one type; how often follows from the sizes.
Result<Runs> of_repeated(MPI_Datatype type, MPI_Datatype child) {
  auto part = signature_of(child);
  const auto whole_bytes = size_of(type);
  const auto child_bytes = size_of(child);
  if (!part || !whole_bytes || !child_bytes || *child_bytes == 0) {
    return part ? Runs{} : part;
  }
  Runs runs;
  if (!append(runs, *part, *whole_bytes / *child_bytes)) {
    return too_many();
  }
  return runs;
}

Result<Runs> of_struct(const TypeContents& contents) {
  Runs runs;
  for (size_t i = 0; i < contents.types().size(); ++i) {
    auto part = signature_of(contents.types()[i]);
    if (!part) {
      return part;
    }
    if (!append(runs, *part, contents.numbers()[i + 1])) {
      return too_many();
    }
  }
  return runs;
}

}  // namespace

Result<Runs> signature_of(MPI_Datatype type) {
  auto contents = TypeContents::of(type);
  if (!contents) {
    return fail(contents.error());
  }
  if (TypeContents::is_leaf(contents->combiner())) {
    const auto bytes = size_of(type);
    return bytes && *bytes > 0 ? Runs{{type, 1}} : Runs{};
  }
  if (plain_combiner(contents->combiner()) == MPI_COMBINER_STRUCT) {
    return of_struct(*contents);
  }
  return of_repeated(type, contents->types()[0]);
}

}  // namespace longshore
