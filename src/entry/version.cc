// The library's own mark: tells a person with `nm`, and a test, which library and MPI this is.
extern "C" {
__attribute__((visibility("default"))) extern const char longshore_version[];
const char longshore_version[] = "longshore " LONGSHORE_VERSION " for " LONGSHORE_MPI_NAME;
}
