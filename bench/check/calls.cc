#include "check/calls.h"

namespace longshore::check {
namespace {

bool writes(const Trial& trial) { return trial.place.direction == Direction::kWrite; }
int count_of(const Piece& piece) { return static_cast<int>(piece.count); }

}  // namespace

int move_at(const Trial& trial, int64_t at, const Piece& piece) {
  return writes(trial) ? MPI_File_write_at(trial.file, at, piece.memory, count_of(piece),
                                           piece.type, MPI_STATUS_IGNORE)
                       : MPI_File_read_at(trial.file, at, piece.memory, count_of(piece), piece.type,
                                          MPI_STATUS_IGNORE);
}

int move_at_all(const Trial& trial, int64_t at, const Piece& piece) {
  return writes(trial) ? MPI_File_write_at_all(trial.file, at, piece.memory, count_of(piece),
                                               piece.type, MPI_STATUS_IGNORE)
                       : MPI_File_read_at_all(trial.file, at, piece.memory, count_of(piece),
                                              piece.type, MPI_STATUS_IGNORE);
}

int move(const Trial& trial, const Piece& piece) {
  return writes(trial) ? MPI_File_write(trial.file, piece.memory, count_of(piece), piece.type,
                                        MPI_STATUS_IGNORE)
                       : MPI_File_read(trial.file, piece.memory, count_of(piece), piece.type,
                                       MPI_STATUS_IGNORE);
}

int move_all(const Trial& trial, const Piece& piece) {
  return writes(trial) ? MPI_File_write_all(trial.file, piece.memory, count_of(piece), piece.type,
                                            MPI_STATUS_IGNORE)
                       : MPI_File_read_all(trial.file, piece.memory, count_of(piece), piece.type,
                                           MPI_STATUS_IGNORE);
}

int move_all_split(const Trial& trial, const Piece& piece) {
  const int begun =
      writes(trial)
          ? MPI_File_write_all_begin(trial.file, piece.memory, count_of(piece), piece.type)
          : MPI_File_read_all_begin(trial.file, piece.memory, count_of(piece), piece.type);
  if (begun != MPI_SUCCESS) {
    return begun;
  }
  return writes(trial) ? MPI_File_write_all_end(trial.file, piece.memory, MPI_STATUS_IGNORE)
                       : MPI_File_read_all_end(trial.file, piece.memory, MPI_STATUS_IGNORE);
}

int move_and_wait(const Trial& trial, const Piece& piece) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int begun =
      writes(trial)
          ? MPI_File_iwrite(trial.file, piece.memory, count_of(piece), piece.type, &request)
          : MPI_File_iread(trial.file, piece.memory, count_of(piece), piece.type, &request);
  return begun == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : begun;
}

int move_shared(const Trial& trial, const Piece& piece) {
  return writes(trial) ? MPI_File_write_shared(trial.file, piece.memory, count_of(piece),
                                               piece.type, MPI_STATUS_IGNORE)
                       : MPI_File_read_shared(trial.file, piece.memory, count_of(piece), piece.type,
                                              MPI_STATUS_IGNORE);
}

int move_ordered(const Trial& trial, const Piece& piece) {
  return writes(trial) ? MPI_File_write_ordered(trial.file, piece.memory, count_of(piece),
                                                piece.type, MPI_STATUS_IGNORE)
                       : MPI_File_read_ordered(trial.file, piece.memory, count_of(piece),
                                               piece.type, MPI_STATUS_IGNORE);
}

int seek(const Trial& trial, int64_t at) { return MPI_File_seek(trial.file, at, MPI_SEEK_SET); }

}  // namespace longshore::check
