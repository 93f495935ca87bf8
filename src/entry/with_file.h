// entry/with_file.h - the common form of the short entries.
#pragma once
#include <mpi.h>

#include "entry/errors.h"
#include "entry/handles.h"

namespace longshore {

// Looks the handle up, runs `task(OpenFile&)` and returns its Status as an MPI code; kFile if the
// handle is not that of an open file.
template <typename Task>
int with_file(MPI_File handle, Task task) {
  auto open = find(handle);
  if (!open) {
    return raise(MPI_FILE_NULL, {ErrorClass::kFile, 0, "not an open file"});
  }
  return answer(handle, task(*open));
}

// The same for a task that returns a Result, whose value goes to *out.
template <typename Value, typename Task>
int with_file_into(MPI_File handle, Value* out, Task task) {
  return with_file(handle, [&](OpenFile& open) -> Status {
    auto result = task(open);
    if (!result) {
      return fail(result.error());
    }
    *out = static_cast<Value>(*result);
    return {};
  });
}

}  // namespace longshore
