#include "entry/transfer.h"

#include <memory>
#include <mutex>
#include <utility>

#include "entry/errors.h"
#include "entry/handles.h"
#include "entry/requests.h"

namespace longshore {

namespace {

Status check_arguments(const DataCall& call) {
  if (call.count < 0) {
    return fail(ErrorClass::kCount, "a negative count");
  }
  if (call.type == MPI_DATATYPE_NULL) {
    return fail(ErrorClass::kType, "MPI_DATATYPE_NULL");
  }
  return {};
}

Status prepare_conversion(Transfer& transfer) {
  if (transfer.operation.kind == IoKind::kWrite) {
    auto stream = transfer.representation->to_file(transfer.user);
    if (!stream) {
      return fail(stream.error());
    }
    transfer.converted = std::move(*stream);
  } else {
    auto type = transfer.representation->decode_type(transfer.user.type);
    if (!type) {
      return fail(type.error());
    }
    transfer.converted.resize(static_cast<size_t>(type->size_bytes * transfer.user.count));
  }
  transfer.memory = {Pattern::run(static_cast<int64_t>(transfer.converted.size())),
                     transfer.converted.data()};
  return {};
}

// The program's memory as it is.
Result<Memory> memory_of(const DataCall& call) {
  if (auto status = check_arguments(call); !status) {
    return fail(status.error());
  }
  auto pattern = decode_buffer(call.type, call.count);
  if (!pattern) {
    return fail(pattern.error());
  }
  const bool absolute = call.buffer == MPI_BOTTOM;
  if (absolute && pattern->size() > 0 && pattern->bounds().begin == 0) {
    return fail(ErrorClass::kBuffer, "a null buffer");
  }
  return Memory{std::move(*pattern), static_cast<std::byte*>(call.buffer)};
}

Status prepare(Transfer& transfer, const DataCall& call) {
  transfer.user = {call.buffer, call.count, call.type};
  if (transfer.representation) {
    auto status = check_arguments(call);
    return status ? prepare_conversion(transfer) : status;
  }
  auto memory = memory_of(call);
  if (!memory) {
    return fail(memory.error());
  }
  transfer.memory = std::move(*memory);
  return {};
}

std::shared_ptr<Transfer> make_transfer(OpenFile& open, const DataCall& call) {
  auto transfer = std::make_shared<Transfer>();
  transfer->operation = call.operation;
  transfer->handle = open.handle;
  transfer->file = open.file;
  if (open.representation->converts()) {
    transfer->representation = open.representation;
  }
  transfer->ready = prepare(*transfer, call);
  return transfer;
}

int no_such_file() { return raise(MPI_FILE_NULL, {ErrorClass::kFile, 0, "not an open file"}); }

std::shared_ptr<OpenFile> file_of(MPI_File handle, int& code) {
  auto open = find(handle);
  if (!open) {
    code = no_such_file();
  }
  return open;
}

Outcome run_native(File& file, const DataCall& call) {
  const auto memory = memory_of(call);
  return memory ? file.run(call.operation, call.offset, *memory, {})
                : file.run(call.operation, call.offset, {}, fail(memory.error()));
}

Outcome run_converted(OpenFile& open, const DataCall& call) {
  auto transfer = make_transfer(open, call);
  transfer->finish(open.file->run(call.operation, call.offset, transfer->memory, transfer->ready));
  return transfer->outcome();
}

Error split_under_way() {
  return {ErrorClass::kOther, 0, "a split collective operation is under way on this file"};
}

}  // namespace

int blocking(MPI_File handle, const DataCall& call, MPI_Status* status) {
  OpenFile* open = find_for_call(handle);
  if (open == nullptr) {
    return no_such_file();
  }
  const Outcome outcome =
      open->representation->converts() ? run_converted(*open, call) : run_native(*open->file, call);
  set_status(status, outcome.bytes);
  return outcome.ok() ? MPI_SUCCESS : raise(handle, outcome.error);
}

int nonblocking(MPI_File handle, const DataCall& call, MPI_Request* request) {
  int code = MPI_SUCCESS;
  auto open = file_of(handle, code);
  if (!open) {
    return code;
  }
  auto transfer = make_transfer(*open, call);
  if (!transfer->ready && !call.operation.collective) {
    return raise(handle, transfer->ready.error());
  }
  if (auto status = start_request(transfer, request); !status) {
    return raise(handle, status.error());
  }
  // The file lives until the transfer ends, whatever the program does with its handle.
  open->file->start(call.operation, call.offset, transfer->memory, transfer->ready,
                    [transfer, open](Outcome outcome) {
                      transfer->finish(std::move(outcome));
                      complete_request(*transfer);
                    });
  return MPI_SUCCESS;
}

int split_begin(MPI_File handle, const DataCall& call) {
  int code = MPI_SUCCESS;
  auto open = file_of(handle, code);
  if (!open) {
    return code;
  }
  {
    const std::lock_guard lock(open->split_mutex);
    if (open->split) {
      return raise(handle, split_under_way());
    }
    open->split = make_transfer(*open, call);
  }
  auto transfer = open->split;
  open->file->start(call.operation, call.offset, transfer->memory, transfer->ready,
                    [transfer](Outcome outcome) { transfer->finish(std::move(outcome)); });
  return MPI_SUCCESS;
}

int split_end(MPI_File handle, const Operation& operation, MPI_Status* status) {
  int code = MPI_SUCCESS;
  auto open = file_of(handle, code);
  if (!open) {
    return code;
  }
  std::shared_ptr<Transfer> transfer;
  {
    const std::lock_guard lock(open->split_mutex);
    const bool matches = open->split && open->split->operation.kind == operation.kind &&
                         open->split->operation.pointer == operation.pointer;
    if (!matches) {
      return raise(handle, {ErrorClass::kOther, 0, "no such split collective was begun"});
    }
    transfer = std::move(open->split);
  }
  transfer->wait();
  set_status(status, transfer->outcome().bytes);
  return transfer->outcome().ok() ? MPI_SUCCESS : raise(handle, transfer->outcome().error);
}

}  // namespace longshore
