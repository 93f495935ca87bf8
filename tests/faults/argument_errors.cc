// Calls with arguments that cannot be right: the standard's class, on every rank of a collective
// call even if one rank alone is wrong, and a file that still works afterwards.
#include <unistd.h>

#include <cstring>

#include "fault_test.h"

namespace {

using fault_test::Session;

constexpr int kOpenAmode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;

MPI_File open_scratch(Session& session, int amode = kOpenAmode) {
  session.at("opening a scratch file");
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, "scratch", amode, MPI_INFO_NULL, &file);
  session.expect_all(code, {MPI_SUCCESS}, "open");
  return file;
}

void access_arguments(Session& session) {
  MPI_File file = open_scratch(session);
  session.at("arguments of accesses");
  int value = 7;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto want = [&](int code, std::initializer_list<int> classes, const char* what) {
    session.expect_class(code, classes, what);
  };
  want(MPI_File_write_at(file, 0, &value, -1, MPI_INT, &status), {MPI_ERR_COUNT, MPI_ERR_ARG},
       "negative count");
  want(MPI_File_write_at(file, -4, &value, 1, MPI_INT, &status), {MPI_ERR_ARG}, "negative offset");
  want(MPI_File_write_at(file, 0, &value, 1, MPI_DATATYPE_NULL, &status), {MPI_ERR_TYPE},
       "null datatype");
  want(MPI_File_read_at(file, 0, &value, -3, MPI_INT, &status), {MPI_ERR_COUNT, MPI_ERR_ARG},
       "negative count of a read");
  want(MPI_File_iwrite_at(file, 0, &value, -1, MPI_INT, &request), {MPI_ERR_COUNT, MPI_ERR_ARG},
       "negative count, nonblocking");
  want(MPI_File_iread(file, &value, 1, MPI_DATATYPE_NULL, &request), {MPI_ERR_TYPE},
       "null datatype, nonblocking");
  want(MPI_File_seek(file, 0, 12345), {MPI_ERR_ARG}, "bad whence");
  want(MPI_File_seek(file, -1, MPI_SEEK_SET), {MPI_ERR_ARG}, "seek before the start");
  want(MPI_File_seek(file, -100, MPI_SEEK_END), {MPI_ERR_ARG},
       "seek before the start from the end");
  MPI_Offset offset = 0;
  want(MPI_File_get_byte_offset(file, -1, &offset), {MPI_ERR_ARG}, "byte offset of -1");
  want(MPI_File_write_at(file, 0, &value, 1, MPI_INT, &status), {MPI_SUCCESS}, "a good write");
  want(MPI_File_write_at(file, 0, nullptr, 0, MPI_INT, &status), {MPI_SUCCESS},
       "a null buffer of count 0");
  session.expect_class(MPI_File_close(&file), {MPI_SUCCESS}, "close");
}

// Rank 1 alone is wrong, or all are.
void collective_arguments(Session& session, bool all_wrong) {
  MPI_File file = open_scratch(session);
  session.at(all_wrong ? "collective, all wrong" : "collective, rank 1 wrong");
  const bool wrong = all_wrong || session.rank() == 1;
  int value = 7;
  MPI_Status status;
  session.expect_all(MPI_File_write_all(file, &value, wrong ? -1 : 1, MPI_INT, &status),
                     {MPI_ERR_COUNT, MPI_ERR_ARG}, "write_all of count -1");
  session.expect_all(MPI_File_write_at_all(file, wrong ? -8 : 0, &value, 1, MPI_INT, &status),
                     {MPI_ERR_ARG}, "write_at_all at -8");
  session.expect_all(
      MPI_File_read_at_all(file, 0, &value, 1, wrong ? MPI_DATATYPE_NULL : MPI_INT, &status),
      {MPI_ERR_TYPE}, "read_at_all of a null datatype");
  session.expect_all(MPI_File_write_ordered(file, &value, wrong ? -1 : 1, MPI_INT, &status),
                     {MPI_ERR_COUNT, MPI_ERR_ARG}, "write_ordered of count -1");
  session.expect_all(
      MPI_File_set_view(file, wrong ? -5 : 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
      {MPI_ERR_ARG}, "set_view at -5");
  session.expect_all(MPI_File_set_view(file, 0, wrong ? MPI_DATATYPE_NULL : MPI_BYTE, MPI_BYTE,
                                       "native", MPI_INFO_NULL),
                     {MPI_ERR_TYPE, MPI_ERR_ARG}, "set_view with a null etype");
  session.expect_all(MPI_File_set_size(file, wrong ? -1 : 10), {MPI_ERR_ARG, MPI_ERR_NOT_SAME},
                     "set_size of -1");
  session.expect_all(MPI_File_preallocate(file, wrong ? -1 : 10), {MPI_ERR_ARG, MPI_ERR_NOT_SAME},
                     "preallocate of -1");
  session.expect_all(MPI_File_seek_shared(file, wrong ? -1 : 1, MPI_SEEK_SET),
                     {MPI_ERR_ARG, MPI_ERR_NOT_SAME}, "seek_shared to -1");
  session.expect_all(MPI_File_seek_shared(file, 0, wrong ? 999 : MPI_SEEK_SET),
                     {MPI_ERR_ARG, MPI_ERR_NOT_SAME}, "seek_shared with a bad whence");
  session.expect_all(MPI_File_write_at_all(file, session.rank() * 4, &value, 1, MPI_INT, &status),
                     {MPI_SUCCESS}, "a good write");
  session.expect_class(MPI_File_close(&file), {MPI_SUCCESS}, "close");
}

void disagreements(Session& session) {
  if (session.size() < 2) {
    return;
  }
  MPI_File file = open_scratch(session);
  session.at("ranks that disagree");
  const int one = session.rank() == 1 ? 1 : 0;
  session.expect_all(MPI_File_set_size(file, 100 + one), {MPI_ERR_NOT_SAME, MPI_ERR_ARG},
                     "set_size of different sizes");
  session.expect_all(MPI_File_preallocate(file, 100 + one), {MPI_ERR_NOT_SAME, MPI_ERR_ARG},
                     "preallocate of different sizes");
  session.expect_all(MPI_File_set_atomicity(file, one), {MPI_ERR_NOT_SAME, MPI_ERR_ARG},
                     "set_atomicity of different flags");
  session.expect_all(MPI_File_seek_shared(file, one, MPI_SEEK_SET), {MPI_ERR_NOT_SAME, MPI_ERR_ARG},
                     "seek_shared to different places");
  session.expect_all(
      MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, one ? "internal" : "native", MPI_INFO_NULL),
      {MPI_ERR_NOT_SAME, MPI_ERR_ARG, MPI_ERR_UNSUPPORTED_DATAREP},
      "set_view with different representations");
  session.expect_all(MPI_File_set_view(file, 0, one ? MPI_INT : MPI_DOUBLE,
                                       one ? MPI_INT : MPI_DOUBLE, "native", MPI_INFO_NULL),
                     {MPI_ERR_NOT_SAME, MPI_ERR_ARG}, "set_view with etypes of different extent");
  session.expect_class(MPI_File_close(&file), {MPI_SUCCESS}, "close");
}

void views(Session& session) {
  MPI_File file = open_scratch(session);
  session.at("views");
  MPI_Datatype falling;
  const int lengths[2] = {1, 1};
  const int displacements[2] = {4, 0};
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &falling);
  MPI_Type_commit(&falling);
  MPI_Datatype odd;
  MPI_Type_contiguous(3, MPI_BYTE, &odd);
  MPI_Type_commit(&odd);
  const auto set = [&](MPI_Datatype etype, MPI_Datatype filetype, const char* datarep) {
    return MPI_File_set_view(file, 0, etype, filetype, datarep, MPI_INFO_NULL);
  };
  session.expect_all(set(MPI_INT, falling, "native"), {MPI_ERR_ARG, MPI_ERR_TYPE, MPI_ERR_IO},
                     "a filetype that goes backwards");
  session.expect_all(set(MPI_INT, odd, "native"), {MPI_ERR_ARG, MPI_ERR_TYPE},
                     "a filetype that is no multiple of the etype");
  session.expect_all(set(MPI_BYTE, MPI_BYTE, "no such representation"),
                     {MPI_ERR_UNSUPPORTED_DATAREP}, "an unknown representation");
  session.expect_all(set(MPI_BYTE, MPI_DATATYPE_NULL, "native"), {MPI_ERR_TYPE, MPI_ERR_ARG},
                     "a null filetype");
  session.expect_all(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native",
                                       MPI_INFO_NULL),
                     {MPI_ERR_ARG}, "MPI_DISPLACEMENT_CURRENT on a file that is not sequential");
  session.expect_all(set(MPI_BYTE, MPI_BYTE, "native"), {MPI_SUCCESS}, "a good view");
  MPI_Type_free(&falling);
  MPI_Type_free(&odd);
  session.expect_class(MPI_File_close(&file), {MPI_SUCCESS}, "close");
}

void directions(Session& session) {
  MPI_File file = open_scratch(session, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  session.at("reading a write-only file");
  int value = 7;
  MPI_Status status;
  session.expect_class(MPI_File_read_at(file, 0, &value, 1, MPI_INT, &status), {MPI_ERR_ACCESS},
                       "read_at");
  session.expect_all(MPI_File_read_all(file, &value, 1, MPI_INT, &status), {MPI_ERR_ACCESS},
                     "read_all");
  int code = MPI_File_read_at_all_begin(file, 0, &value, 1, MPI_INT);
  code = code == MPI_SUCCESS ? MPI_File_read_at_all_end(file, &value, &status) : code;
  session.expect_all(code, {MPI_ERR_ACCESS}, "read_at_all_begin and end");
  MPI_File_close(&file);
  file = open_scratch(session, MPI_MODE_RDONLY);
  session.at("writing a read-only file");
  session.expect_class(MPI_File_write_at(file, 0, &value, 1, MPI_INT, &status),
                       {MPI_ERR_READ_ONLY, MPI_ERR_ACCESS}, "write_at");
  session.expect_all(MPI_File_write_all(file, &value, 1, MPI_INT, &status),
                     {MPI_ERR_READ_ONLY, MPI_ERR_ACCESS}, "write_all");
  session.expect_all(MPI_File_set_size(file, 100), {MPI_ERR_READ_ONLY, MPI_ERR_ACCESS}, "set_size");
  session.expect_all(MPI_File_preallocate(file, 100), {MPI_ERR_READ_ONLY, MPI_ERR_ACCESS},
                     "preallocate");
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (session.rank() == 0) {
    unlink("scratch");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void sequential(Session& session) {
  MPI_File file = open_scratch(
      session, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE);
  session.at("sequential mode");
  int value = 7;
  MPI_Offset offset = 0;
  MPI_Status status;
  const int no = MPI_ERR_UNSUPPORTED_OPERATION;
  session.expect_class(MPI_File_write_at(file, 0, &value, 1, MPI_INT, &status), {no}, "write_at");
  session.expect_class(MPI_File_write(file, &value, 1, MPI_INT, &status), {no}, "write");
  session.expect_all(MPI_File_write_all(file, &value, 1, MPI_INT, &status), {no}, "write_all");
  session.expect_class(MPI_File_seek(file, 0, MPI_SEEK_SET), {no}, "seek");
  session.expect_all(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), {no}, "seek_shared");
  session.expect_class(MPI_File_get_position(file, &offset), {no}, "get_position");
  session.expect_class(MPI_File_write_shared(file, &value, 1, MPI_INT, &status), {MPI_SUCCESS},
                       "write_shared");
  session.expect_all(MPI_File_write_ordered(file, &value, 1, MPI_INT, &status), {MPI_SUCCESS},
                     "write_ordered");
  session.expect_class(MPI_File_close(&file), {MPI_SUCCESS}, "close");
}

void split_rules(Session& session) {
  MPI_File file = open_scratch(session);
  session.at("rules of split collectives");
  int value = 7;
  int other = 8;
  MPI_Status status;
  const MPI_Offset at = session.rank() * 4;
  session.expect_all(
      MPI_File_write_all_end(file, &value, &status),
      {MPI_ERR_ARG, MPI_ERR_REQUEST, MPI_ERR_OTHER, MPI_ERR_IO, MPI_ERR_UNSUPPORTED_OPERATION},
      "end without begin");
  session.expect_all(MPI_File_write_at_all_begin(file, at, &value, 1, MPI_INT), {MPI_SUCCESS},
                     "begin");
  const std::initializer_list<int> refused = {MPI_ERR_ARG, MPI_ERR_REQUEST, MPI_ERR_OTHER,
                                              MPI_ERR_IO, MPI_ERR_UNSUPPORTED_OPERATION};
  session.expect_all(MPI_File_read_at_all_begin(file, at, &other, 1, MPI_INT), refused,
                     "a second begin");
  session.expect_all(MPI_File_read_at_all_end(file, &value, &status), refused,
                     "the end of another operation");
  session.expect_all(MPI_File_write_at_all_end(file, &value, &status), {MPI_SUCCESS}, "end");
  session.expect(fault_test::bytes_of(status) == 4, "count of the split collective");
  session.expect_class(MPI_File_close(&file), {MPI_SUCCESS}, "close");
}

void null_handle(Session& session) {
  session.at("MPI_FILE_NULL");
  int value = 0;
  MPI_Status status;
  MPI_Offset offset = 0;
  MPI_File null = MPI_FILE_NULL;
  session.expect_class(MPI_File_write(null, &value, 1, MPI_INT, &status),
                       {MPI_ERR_FILE, MPI_ERR_ARG}, "write");
  session.expect_class(MPI_File_read_at_all(null, 0, &value, 1, MPI_INT, &status),
                       {MPI_ERR_FILE, MPI_ERR_ARG}, "read_at_all");
  session.expect_class(MPI_File_get_size(null, &offset), {MPI_ERR_FILE, MPI_ERR_ARG}, "get_size");
  session.expect_class(MPI_File_seek(null, 0, MPI_SEEK_SET), {MPI_ERR_FILE, MPI_ERR_ARG}, "seek");
  session.expect_class(MPI_File_close(&null), {MPI_ERR_FILE, MPI_ERR_ARG}, "close");
}

// Hints that make no sense are ignored; the file works.
void bad_hints(Session& session) {
  session.at("senseless hints");
  MPI_Info info = fault_test::make_info({{"cb_nodes", "-3"},
                                         {"cb_buffer_size", "plenty"},
                                         {"striping_unit", "0"},
                                         {"romio_cb_write", "perhaps"},
                                         {"longshore_partition", "fair"},
                                         {"longshore_storage", "tape"},
                                         {"ind_wr_buffer_size", "99999999999999999999"},
                                         {"access_style", ",,,"}});
  MPI_File file = MPI_FILE_NULL;
  session.expect_all(MPI_File_open(MPI_COMM_WORLD, "scratch", kOpenAmode, info, &file),
                     {MPI_SUCCESS}, "open");
  session.expect_all(MPI_File_set_info(file, info), {MPI_SUCCESS}, "set_info");
  int value = session.rank();
  MPI_Status status;
  session.expect_all(MPI_File_write_at_all(file, value * 4, &value, 1, MPI_INT, &status),
                     {MPI_SUCCESS}, "write_at_all");
  MPI_Info_free(&info);
  session.expect_class(MPI_File_close(&file), {MPI_SUCCESS}, "close");
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, 40);
  access_arguments(session);
  collective_arguments(session, true);
  if (session.size() > 1) {
    collective_arguments(session, false);
  }
  disagreements(session);
  views(session);
  directions(session);
  sequential(session);
  split_rules(session);
  null_handle(session);
  bad_hints(session);
  return session.finish();
}
