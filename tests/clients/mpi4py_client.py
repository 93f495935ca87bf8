"""MPI.File of mpi4py, method by method. Run under mpirun; exit code 0 if all ranks agree."""

import array
import os
import struct
import sys

from mpi4py import MPI

COMM = MPI.COMM_WORLD
RANK, RANKS = COMM.Get_rank(), COMM.Get_size()
PATH = "mpi4py_client.dat"
N = 1000
INT_BYTES = 4


def values(rank, salt):
    """What rank `rank` writes in the test with number `salt`."""
    return array.array("i", (salt * 1_000_000 + rank * 10_000 + i for i in range(N)))


def zeros(count=N):
    return array.array("i", bytes(INT_BYTES * count))


def open_new(extra=0):
    """Opens a fresh file on all ranks."""
    if RANK == 0 and os.path.exists(PATH):
        MPI.File.Delete(PATH)
    COMM.Barrier()
    return MPI.File.Open(COMM, PATH, MPI.MODE_CREATE | MPI.MODE_RDWR | extra)


def settle(file):
    file.Sync()
    COMM.Barrier()
    file.Sync()


def expect_error(error_class, call, *arguments):
    """Expects `call` to raise an MPI exception of `error_class`."""
    try:
        call(*arguments)
    except MPI.Exception as error:
        assert error.Get_error_class() == error_class, error.Get_error_string()
    else:
        raise AssertionError("no exception")


def test_explicit_offsets():
    file, status, back = open_new(), MPI.Status(), zeros()
    mine = RANK * N * INT_BYTES
    file.Write_at(mine, values(RANK, 1), status)
    assert status.Get_count(MPI.INT) == N
    settle(file)
    neighbour = (RANK + 1) % RANKS
    file.Read_at(neighbour * N * INT_BYTES, back, status)
    assert back == values(neighbour, 1) and status.Get_count(MPI.INT) == N
    COMM.Barrier()
    file.Write_at_all(mine, values(RANK, 2))
    back = zeros()
    file.Read_at_all(mine, back)
    assert back == values(RANK, 2)
    assert file.Get_size() == file.size == RANKS * N * INT_BYTES
    file.Close()


def test_individual_pointer():
    file, back = open_new(), zeros()
    file.Set_view(RANK * N * INT_BYTES, MPI.INT, MPI.INT)
    file.Write(values(RANK, 3))
    assert file.Get_position() == N
    file.Seek(-N, MPI.SEEK_CUR)
    file.Read(back)
    assert back == values(RANK, 3)
    file.Seek(0)
    file.Write_all(values(RANK, 4))
    file.Seek(0)
    file.Read_all(back)
    assert back == values(RANK, 4)
    assert file.Get_byte_offset(3) == RANK * N * INT_BYTES + 3 * INT_BYTES
    file.Close()


def test_strided_view():
    file, back = open_new(), zeros()
    filetype = MPI.INT.Create_vector(N // 10, 10, 10 * RANKS).Commit()
    file.Set_view(RANK * 10 * INT_BYTES, MPI.INT, filetype, "native", MPI.INFO_NULL)
    displacement, etype, got, datarep = file.Get_view()
    assert displacement == RANK * 10 * INT_BYTES and datarep == "native"
    assert got.Get_size() == filetype.Get_size() and etype.Get_size() == INT_BYTES
    file.Write_all(values(RANK, 5))
    file.Seek(0)
    file.Read_all(back)
    assert back == values(RANK, 5)
    settle(file)
    with open(PATH, "rb") as raw:
        whole = array.array("i", raw.read())
    expected = [values(i // 10 % RANKS, 5)[i // (10 * RANKS) * 10 + i % 10] for i in range(RANKS * N)]
    assert whole.tolist() == expected
    COMM.Barrier()
    file.Close()
    filetype.Free()


def test_shared_pointer():
    file, back, status = open_new(), zeros(), MPI.Status()
    file.Set_view(0, MPI.INT, MPI.INT)
    file.Write_ordered(values(RANK, 6))
    assert file.Get_position_shared() == RANKS * N
    COMM.Barrier()
    file.Write_shared(values(RANK, 7))
    settle(file)
    file.Seek_shared(0)
    file.Read_ordered(back)
    assert back == values(RANK, 6)
    COMM.Barrier()
    file.Read_shared(back, status)
    assert status.Get_count(MPI.INT) == N
    assert back == values((back[0] - 7_000_000) // 10_000, 7)
    file.Close()


def test_nonblocking():
    file, back = open_new(), zeros()
    mine = RANK * N * INT_BYTES
    request = file.Iwrite_at(mine, values(RANK, 8))
    request.Wait()
    request = file.Iread_at(mine, back)
    status = MPI.Status()
    request.Wait(status)
    assert back == values(RANK, 8) and status.Get_count(MPI.INT) == N
    file.Iwrite_at_all(mine, values(RANK, 9)).Wait()
    file.Iread_at_all(mine, back).Wait()
    assert back == values(RANK, 9)
    file.Seek(mine)
    file.Iwrite_all(values(RANK, 10)).Wait()
    file.Seek(mine)
    file.Iread_all(back).Wait()
    assert back == values(RANK, 10)
    file.Seek(mine)
    file.Iwrite(values(RANK, 11)).Wait()
    file.Seek(mine)
    file.Iread(back).Wait()
    assert back == values(RANK, 11)
    file.Close()


def test_many_requests():
    file, pieces = open_new(), 50
    buffers = [array.array("i", [RANK * pieces + i]) for i in range(pieces)]
    offsets = [(i * RANKS + RANK) * INT_BYTES for i in range(pieces)]
    MPI.Request.Waitall([file.Iwrite_at(at, data) for at, data in zip(offsets, buffers)])
    settle(file)
    back = [zeros(1) for _ in range(pieces)]
    requests = [file.Iread_at(at, data) for at, data in zip(offsets, back)]
    while not MPI.Request.Testall(requests):
        pass
    assert back == buffers
    file.Close()


def test_nonblocking_shared():
    file, back = open_new(), zeros()
    file.Iwrite_shared(values(RANK, 12)).Wait()
    settle(file)
    file.Seek_shared(0)
    file.Iread_shared(back).Wait()
    assert back == values((back[0] - 12_000_000) // 10_000, 12)
    file.Close()


def test_split_collective():
    file, back = open_new(), zeros()
    mine = RANK * N * INT_BYTES
    data = values(RANK, 13)
    file.Write_at_all_begin(mine, data)
    file.Write_at_all_end(data)
    file.Read_at_all_begin(mine, back)
    file.Read_at_all_end(back)
    assert back == data
    file.Seek(mine)
    data = values(RANK, 14)
    file.Write_all_begin(data)
    file.Write_all_end(data)
    file.Seek(mine)
    file.Read_all_begin(back)
    file.Read_all_end(back)
    assert back == data
    data = values(RANK, 15)
    file.Write_ordered_begin(data)
    file.Write_ordered_end(data)
    file.Seek_shared(0)
    file.Read_ordered_begin(back)
    file.Read_ordered_end(back)
    assert back == data
    file.Close()


def test_properties():
    file = open_new()
    assert file.Get_amode() == file.amode == MPI.MODE_CREATE | MPI.MODE_RDWR
    group = file.Get_group()
    assert MPI.Group.Compare(group, COMM.Get_group()) == MPI.IDENT
    file.Set_size(100)
    assert file.Get_size() == 100
    COMM.Barrier()
    file.Preallocate(5000)
    assert file.Get_size() == 5000
    file.Set_atomicity(True)
    assert file.Get_atomicity() is True
    assert file.Get_type_extent(MPI.DOUBLE) == 8
    assert MPI.File.f2py(file.py2f()) == file
    file.Close()
    assert file == MPI.FILE_NULL


def test_info():
    info = MPI.Info.Create()
    info.Set("cb_buffer_size", "2097152")
    file = MPI.File.Open(COMM, PATH, MPI.MODE_CREATE | MPI.MODE_RDWR, info)
    got = file.Get_info()
    assert got.Get("cb_buffer_size") == "2097152"
    got.Free()
    file.Set_info(info)
    info.Free()
    file.Close()


def test_external32():
    file, back = open_new(), zeros()
    file.Set_view(RANK * N * INT_BYTES, MPI.INT, MPI.INT, "external32")
    file.Write_all(values(RANK, 16))
    file.Seek(0)
    file.Read_all(back)
    assert back == values(RANK, 16)
    settle(file)
    with open(PATH, "rb") as raw:
        raw.seek(RANK * N * INT_BYTES)
        assert struct.unpack(f">{N}i", raw.read(N * INT_BYTES)) == tuple(values(RANK, 16))
    COMM.Barrier()
    file.Close()


def test_errors():
    expect_error(MPI.ERR_NO_SUCH_FILE, MPI.File.Open, COMM, "no_such_file.dat", MPI.MODE_RDONLY)
    expect_error(MPI.ERR_AMODE, MPI.File.Open, COMM, PATH, MPI.MODE_RDONLY | MPI.MODE_WRONLY)
    file = open_new()
    file.Close()
    file = MPI.File.Open(COMM, PATH, MPI.MODE_RDONLY)
    assert file.Get_errhandler() == MPI.ERRORS_RETURN
    expect_error(MPI.ERR_READ_ONLY, file.Write_at, 0, values(RANK, 17))
    file.Close()
    expect_error(MPI.ERR_FILE_EXISTS, MPI.File.Open, COMM, PATH,
                 MPI.MODE_CREATE | MPI.MODE_EXCL | MPI.MODE_RDWR)


def test_delete_on_close_and_append():
    file = open_new()
    file.Write_at_all(RANK * N * INT_BYTES, values(RANK, 18))
    file.Close()
    file = MPI.File.Open(COMM, PATH, MPI.MODE_APPEND | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
    assert file.Get_position() == RANKS * N * INT_BYTES
    file.Close()
    COMM.Barrier()
    assert not os.path.exists(PATH)


def test_numpy():
    import numpy
    file = open_new()
    block = numpy.arange(RANK * 600, (RANK + 1) * 600, dtype="f8").reshape(20, 30)
    filetype = MPI.DOUBLE.Create_subarray([20, 30 * RANKS], [20, 30], [0, 30 * RANK]).Commit()
    file.Set_view(0, MPI.DOUBLE, filetype)
    file.Write_all(block)
    settle(file)
    whole = numpy.fromfile(PATH, dtype="f8").reshape(20, 30 * RANKS)
    assert (whole[:, 30 * RANK:30 * (RANK + 1)] == block).all()
    COMM.Barrier()
    file.Close()
    filetype.Free()


def run(test):
    """Runs one test; returns 1 if it failed on this rank. A failure in one rank would leave the
    others in collective calls, hence the abort."""
    try:
        test()
    except (AssertionError, MPI.Exception) as error:
        import traceback
        traceback.print_exc()
        print(f"rank {RANK} FAILED: {test.__name__}: {error}", flush=True)
        if RANKS > 1:
            COMM.Abort(1)
        return 1
    COMM.Barrier()
    if RANK == 0:
        print(f"ok: {test.__name__}", flush=True)
    return 0


def main():
    wanted = sys.argv[1:]
    tests = [function for name, function in globals().items() if name.startswith("test_")
             and (not wanted or name in wanted)]
    sys.exit(1 if sum(run(test) for test in tests) else 0)


main()
