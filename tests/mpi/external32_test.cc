// The data representation external32 through files: what stands in them is the same under every
// MPI, and what the standard says. Each rank has a file of its own.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace longshore {
namespace {

using testing::ElementsAre;

// A file that goes with its owner.
class External32File {
 public:
  External32File() {
    const int unused = mkstemp(name_.data());
    close(unused);
    MPI_File_open(MPI_COMM_SELF, name_.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file_);
  }
  External32File(const External32File&) = delete;
  External32File& operator=(const External32File&) = delete;
  ~External32File() {
    MPI_File_close(&file_);
    unlink(name_.c_str());
  }

  int view(MPI_Datatype type) {
    return MPI_File_set_view(file_, 0, type, type, "external32", MPI_INFO_NULL);
  }
  int write(const void* from, int count, MPI_Datatype type) {
    return MPI_File_write_at(file_, 0, from, count, type, MPI_STATUS_IGNORE);
  }
  // The items that came.
  int read(void* to, int count, MPI_Datatype type) {
    MPI_Status status;
    int items = -1;
    if (MPI_File_read_at(file_, 0, to, count, type, &status) == MPI_SUCCESS) {
      MPI_Get_count(&status, type, &items);
    }
    return items;
  }
  MPI_Aint extent(MPI_Datatype type) {
    MPI_Aint extent = -1;
    MPI_File_get_type_extent(file_, type, &extent);
    return extent;
  }
  [[nodiscard]] std::string hex() {
    MPI_File_sync(file_);
    std::ifstream stream(name_, std::ios::binary);
    std::string text;
    for (std::istreambuf_iterator<char> at(stream), end; at != end; ++at) {
      std::array<char, 3> digits{};
      std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(*at));
      text += digits.data();
    }
    return text;
  }

 private:
  std::string name_ = "external32_test.XXXXXX";
  MPI_File file_ = MPI_FILE_NULL;
};

// Writes `values`, expects `wanted` in the file, and the values back.
template <typename Value, size_t kCount>
void expect_there_and_back(MPI_Datatype type, const std::array<Value, kCount>& values,
                           const std::string& wanted) {
  External32File file;
  ASSERT_EQ(file.view(type), MPI_SUCCESS);
  EXPECT_EQ(file.extent(type) * static_cast<MPI_Aint>(kCount),
            static_cast<MPI_Aint>(wanted.size() / 2));
  ASSERT_EQ(file.write(values.data(), kCount, type), MPI_SUCCESS);
  EXPECT_EQ(file.hex(), wanted);
  std::array<Value, kCount> back{};
  EXPECT_EQ(file.read(back.data(), kCount, type), static_cast<int>(kCount));
  EXPECT_EQ(back, values);
}

template <typename Value>
struct Pair {
  Value value;
  int index;
  bool operator==(const Pair&) const = default;
};

// Open MPI 4's own conversion gives 00006000000000800000 and what its stack held for 1.5.
TEST(External32File, LongDoubleIsBinary128) {
  constexpr auto kInfinity = std::numeric_limits<long double>::infinity();
  expect_there_and_back(
      MPI_LONG_DOUBLE,
      std::array{1.5L, -2.0L, -0.0L, kInfinity, std::numeric_limits<long double>::denorm_min()},
      "3fff8000000000000000000000000000"
      "c0000000000000000000000000000000"
      "80000000000000000000000000000000"
      "7fff0000000000000000000000000000"
      "00000000000000000002000000000000");
}

TEST(External32File, LongDoubleComplex) {
  using Complex = std::complex<long double>;
  const std::string wanted = "3fff8000000000000000000000000000c0000000000000000000000000000000";
  expect_there_and_back(MPI_C_LONG_DOUBLE_COMPLEX, std::array{Complex(1.5L, -2.0L)}, wanted);
  expect_there_and_back(MPI_CXX_LONG_DOUBLE_COMPLEX, std::array{Complex(1.5L, -2.0L)}, wanted);
}

// Two pairs each, since those with a hole in memory have none in the file.
TEST(External32File, PairsAreTheirMembers) {
  expect_there_and_back(MPI_LONG_DOUBLE_INT,
                        std::array{Pair<long double>{1.5L, 7}, Pair<long double>{-2.0L, -1}},
                        "3fff800000000000000000000000000000000007"
                        "c0000000000000000000000000000000ffffffff");
  expect_there_and_back(MPI_DOUBLE_INT, std::array{Pair<double>{1.5, 7}, Pair<double>{-2.0, -1}},
                        "3ff800000000000000000007c000000000000000ffffffff");
  expect_there_and_back(MPI_FLOAT_INT, std::array{Pair<float>{1.5F, 7}, Pair<float>{-2.0F, -1}},
                        "3fc0000000000007c0000000ffffffff");
  expect_there_and_back(MPI_LONG_INT, std::array{Pair<long>{1, 7}, Pair<long>{-2, -1}},
                        "0000000100000007fffffffeffffffff");
  expect_there_and_back(MPI_SHORT_INT, std::array{Pair<short>{1, 7}, Pair<short>{-2, -1}},
                        "000100000007fffeffffffff");
  expect_there_and_back(MPI_2INT, std::array{Pair<int>{1, 7}, Pair<int>{-2, -1}},
                        "0000000100000007fffffffeffffffff");
}

// Two bytes of Unicode in the standard's table, whatever wchar_t has.
TEST(External32File, WideCharactersHaveTwoBytes) {
  expect_there_and_back(MPI_WCHAR, std::array{L'A', L'\x20ac', L'\xffff'}, "004120acffff");
  External32File file;
  ASSERT_EQ(file.view(MPI_WCHAR), MPI_SUCCESS);
  const std::array beyond{L'A', L'\x1f600'};
  int error_class = MPI_SUCCESS;
  MPI_Error_class(file.write(beyond.data(), 2, MPI_WCHAR), &error_class);
  EXPECT_EQ(error_class, MPI_ERR_CONVERSION);
  EXPECT_EQ(file.hex(), "");
}

// MPICH's own conversion exchanges the two parts.
TEST(External32File, FortranComplexAndPairs) {
  expect_there_and_back(MPI_COMPLEX, std::array{std::complex<float>(1.5F, -2.0F)},
                        "3fc00000c0000000");
  expect_there_and_back(MPI_DOUBLE_COMPLEX, std::array{std::complex<double>(1.5, -2.0)},
                        "3ff8000000000000c000000000000000");
  expect_there_and_back(MPI_2INTEGER, std::array{Pair<int>{1, 7}}, "0000000100000007");
  expect_there_and_back(MPI_2REAL, std::array{Pair<int>{1, 7}}, "0000000100000007");
  expect_there_and_back(MPI_2DOUBLE_PRECISION, std::array{std::complex<double>(1.5, -2.0)},
                        "3ff8000000000000c000000000000000");
}

// Open MPI's own conversion keeps 4 bytes of it.
TEST(External32File, ParameterisedTypes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_f90_integer(18, &type);
  expect_there_and_back(type, std::array{int64_t{0x123456789abcdef}}, "0123456789abcdef");
  MPI_Type_create_f90_real(15, 307, &type);
  expect_there_and_back(type, std::array{1.5}, "3ff8000000000000");
  MPI_Type_create_f90_complex(6, 37, &type);
  expect_there_and_back(type, std::array{std::complex<float>(1.5F, -2.0F)}, "3fc00000c0000000");
}

// { long double; short and int; wide character } twice: 16 + 6 + 2 bytes without holes.
TEST(External32File, StructuresOfAllThese) {
  struct Mixed {
    long double number;
    Pair<short> pair;
    wchar_t letter;
    bool operator==(const Mixed&) const = default;
  };
  const std::array lengths{1, 1, 1};
  const std::array<MPI_Aint, 3> places{offsetof(Mixed, number), offsetof(Mixed, pair),
                                       offsetof(Mixed, letter)};
  const std::array types{MPI_LONG_DOUBLE, MPI_SHORT_INT, MPI_WCHAR};
  MPI_Datatype fields = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths.data(), places.data(), types.data(), &fields);
  MPI_Type_create_resized(fields, 0, sizeof(Mixed), &type);
  MPI_Type_commit(&type);
  External32File file;
  ASSERT_EQ(file.view(MPI_BYTE), MPI_SUCCESS);
  const std::array values{Mixed{1.5L, {1, 7}, L'A'}, Mixed{-2.0L, {-2, -1}, L'B'}};
  ASSERT_EQ(file.write(values.data(), 2, type), MPI_SUCCESS);
  EXPECT_EQ(file.hex(),
            "3fff80000000000000000000000000000001000000070041"
            "c0000000000000000000000000000000fffeffffffff0042");
  std::array<Mixed, 2> back{};
  EXPECT_EQ(file.read(back.data(), 2, type), 2);
  EXPECT_EQ(back, values);
  MPI_Type_free(&type);
  MPI_Type_free(&fields);
}

// external32 has 4 bytes of a long: those behind the file's end must not go there and back.
TEST(External32File, ShortReadLeavesTheRestAlone) {
  External32File file;
  ASSERT_EQ(file.view(MPI_LONG), MPI_SUCCESS);
  const std::array<long, 2> written{1, -2};
  ASSERT_EQ(file.write(written.data(), 2, MPI_LONG), MPI_SUCCESS);
  constexpr long kGreat = 0x123456789abcdef;
  std::array<long, 4> back{kGreat, kGreat, kGreat, kGreat};
  EXPECT_EQ(file.read(back.data(), 4, MPI_LONG), 2);
  EXPECT_THAT(back, ElementsAre(1, -2, kGreat, kGreat));
}

// Three ints are a pair and the first member of another.
TEST(External32File, ShortReadEndsWithinAPair) {
  External32File file;
  ASSERT_EQ(file.view(MPI_INT), MPI_SUCCESS);
  const std::array written{1, 7, -2};
  ASSERT_EQ(file.write(written.data(), 3, MPI_INT), MPI_SUCCESS);
  std::array back{Pair<long>{5, 5}, Pair<long>{5, 5}, Pair<long>{5, 5}};
  EXPECT_EQ(file.read(back.data(), 3, MPI_LONG_INT), MPI_UNDEFINED);
  EXPECT_THAT(back, ElementsAre(Pair<long>{1, 7}, Pair<long>{-2, 5}, Pair<long>{5, 5}));
}

}  // namespace
}  // namespace longshore
