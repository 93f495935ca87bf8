// Error handlers of the MPI's C++ binding, which MPI-3 removed and programs still use: each error
// reaches the handler once, and a handler lives as long as a file or MPI_FILE_NULL has it.
#include <mpi.h>

#include <cstdio>

namespace {

int calls = 0;
int failures = 0;

void note(MPI::File&, int*, ...) { ++calls; }

void expect_calls(int expected, const char* what) {
  if (calls != expected) {
    std::printf("FAILED: %s: %d calls of the handler instead of %d\n", what, calls, expected);
    ++failures;
  }
  calls = 0;
}

void failing_open() {
  MPI::File::Open(MPI::COMM_WORLD, "nowhere", MPI::MODE_RDONLY, MPI::INFO_NULL);
}

void failing_write(MPI::File& file) {
  int value = 0;
  file.Write_at(-1, &value, 1, MPI::INT);
}

MPI::File open_scratch(const char* name) {
  return MPI::File::Open(MPI::COMM_WORLD, name,
                         MPI::MODE_CREATE | MPI::MODE_RDWR | MPI::MODE_DELETE_ON_CLOSE,
                         MPI::INFO_NULL);
}

// The handler belongs to MPI_FILE_NULL alone once it is freed.
void set_and_free() {
  MPI::Errhandler handler = MPI::File::Create_errhandler(note);
  MPI::FILE_NULL.Set_errhandler(handler);
  handler.Free();
}

void failed_open() {
  set_and_free();
  failing_open();
  expect_calls(1, "a failed open");
  failing_open();
  expect_calls(1, "a second failed open");
}

// Files come and go: the first has a handle that the MPI opens, the next ones have used ones.
void inherited() {
  for (int i = 0; i < 3; ++i) {
    MPI::File first = open_scratch("first");
    MPI::File second = open_scratch("second");
    failing_write(first);
    expect_calls(1, "the first file inherits");
    failing_write(second);
    expect_calls(1, "the second file inherits");
    second.Close();
    first.Close();
  }
  failing_open();
  expect_calls(1, "a failed open after files were closed");
}

// What was a handler's handle may be another's soon.
void replaced() {
  for (int i = 0; i < 3; ++i) {
    MPI::File file = open_scratch("third");
    set_and_free();
    failing_write(file);
    expect_calls(1, "a file keeps its handler when MPI_FILE_NULL gets another");
    file.Set_errhandler(MPI::ERRORS_RETURN);
    file.Close();
    failing_open();
    expect_calls(1, "a failed open after the handler was replaced");
  }
  MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_RETURN);
}

}  // namespace

int main() {
  MPI::Init();
  failed_open();
  inherited();
  replaced();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI::Finalize();
  return all == 0 ? 0 : 1;
}
