// Opens and deletes that must fail, with the class that says why, on every rank.
// Run in an empty folder. As a user without rights over others' files, pass "unprivileged" and the
// name of a folder that holds `readable` (mode 0444) and `closed` (mode 0000).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "fault_test.h"

namespace {

using fault_test::Session;

void make_file(const char* path) {
  const int fd = open(path, O_CREAT | O_WRONLY, 0644);
  close(fd);
}

class Opens {
 public:
  explicit Opens(Session& session) : session_(session) {}

  void fails(const char* what, const std::string& path, int amode,
             std::initializer_list<int> classes) {
    fails_on(MPI_COMM_WORLD, what, path, amode, classes);
  }

  void fails_on(MPI_Comm comm, const char* what, const std::string& path, int amode,
                std::initializer_list<int> classes) {
    session_.at(what);
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(comm, path.c_str(), amode, MPI_INFO_NULL, &file);
    session_.expect_all(code, classes, what);
    session_.expect(file == MPI_FILE_NULL || code == MPI_SUCCESS, "a handle of a failed open");
    if (code == MPI_SUCCESS) {
      MPI_File_close(&file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  Session& session_;
};

void paths(Session& session, Opens& opens) {
  if (session.rank() == 0) {
    make_file("there");
    mkdir("folder", 0755);
    mkfifo("pipe", 0644);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string long_name(5000, 'x');
  const int make = MPI_MODE_CREATE | MPI_MODE_RDWR;
  opens.fails("a missing file", "nowhere", MPI_MODE_RDONLY, {MPI_ERR_NO_SUCH_FILE});
  opens.fails("a missing file, read-write", "nowhere", MPI_MODE_RDWR, {MPI_ERR_NO_SUCH_FILE});
  opens.fails("a missing folder", "none/file", make, {MPI_ERR_NO_SUCH_FILE, MPI_ERR_BAD_FILE});
  opens.fails("a file as folder", "there/file", make,
              {MPI_ERR_NO_SUCH_FILE, MPI_ERR_BAD_FILE, MPI_ERR_ACCESS});
  opens.fails("a folder", "folder", MPI_MODE_RDWR,
              {MPI_ERR_BAD_FILE, MPI_ERR_IO, MPI_ERR_ACCESS, MPI_ERR_FILE});
  opens.fails("a pipe", "pipe", MPI_MODE_RDWR, {MPI_ERR_UNSUPPORTED_OPERATION});
  opens.fails("EXCL on what exists", "there", make | MPI_MODE_EXCL, {MPI_ERR_FILE_EXISTS});
  opens.fails("a long name", long_name, make, {MPI_ERR_BAD_FILE});
  opens.fails("an empty name", "", make, {MPI_ERR_BAD_FILE, MPI_ERR_NO_SUCH_FILE, MPI_ERR_ARG});
}

void modes(Opens& opens) {
  struct Mode {
    const char* what;
    int amode;
  };
  const Mode bad[] = {
      {"no direction", MPI_MODE_CREATE},
      {"amode 0", 0},
      {"RDONLY and WRONLY", MPI_MODE_RDONLY | MPI_MODE_WRONLY},
      {"RDONLY and RDWR", MPI_MODE_RDONLY | MPI_MODE_RDWR},
      {"WRONLY and RDWR", MPI_MODE_WRONLY | MPI_MODE_RDWR},
      {"RDONLY and CREATE", MPI_MODE_RDONLY | MPI_MODE_CREATE},
      {"RDONLY and EXCL", MPI_MODE_RDONLY | MPI_MODE_EXCL},
      {"RDWR and SEQUENTIAL", MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL},
  };
  for (const Mode& mode : bad) {
    opens.fails(mode.what, "there", mode.amode, {MPI_ERR_AMODE});
  }
}

void disagreements(Session& session, Opens& opens) {
  if (session.size() < 2) {
    return;
  }
  const bool odd = session.rank() == 1;
  opens.fails("different modes", "there", odd ? MPI_MODE_RDONLY : MPI_MODE_RDWR,
              {MPI_ERR_NOT_SAME, MPI_ERR_AMODE});
  opens.fails("a bad mode on one rank", "there", odd ? 0 : MPI_MODE_RDWR,
              {MPI_ERR_NOT_SAME, MPI_ERR_AMODE});
}

void deletions(Session& session) {
  session.at("deleting");
  if (session.rank() == 0) {
    session.expect_class(MPI_File_delete("nowhere", MPI_INFO_NULL), {MPI_ERR_NO_SUCH_FILE},
                         "delete of a missing file");
    session.expect_class(MPI_File_delete("there", MPI_INFO_NULL), {MPI_SUCCESS}, "delete");
    session.expect(access("there", F_OK) != 0, "the file is still there");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void rights(Opens& opens, const std::string& folder) {
  opens.fails("no right to read", folder + "/closed", MPI_MODE_RDONLY, {MPI_ERR_ACCESS});
  opens.fails("no right to write", folder + "/readable", MPI_MODE_RDWR, {MPI_ERR_ACCESS});
  opens.fails("no right to write, write-only", folder + "/readable", MPI_MODE_WRONLY,
              {MPI_ERR_ACCESS});
  opens.fails("no right to create", folder + "/new", MPI_MODE_CREATE | MPI_MODE_WRONLY,
              {MPI_ERR_ACCESS});
  opens.fails("reading what may be read", folder + "/readable", MPI_MODE_RDONLY, {MPI_SUCCESS});
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, 40);
  Opens opens(session);
  if (argc == 3 && std::strcmp(argv[1], "unprivileged") == 0) {
    rights(opens, argv[2]);
    return session.finish();
  }
  paths(session, opens);
  modes(opens);
  disagreements(session, opens);
  deletions(session);
  return session.finish();
}
