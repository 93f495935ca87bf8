/* Says for each name on standard input which shared object a program's call of it would reach. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char name[256];
  while (fgets(name, sizeof name, stdin) != NULL) {
    name[strcspn(name, "\n")] = '\0';
    Dl_info info;
    void* address = dlsym(RTLD_DEFAULT, name);
    if (address == NULL || dladdr(address, &info) == 0) {
      printf("%s nothing\n", name);
    } else {
      printf("%s %s\n", name, info.dli_fname);
    }
  }
  MPI_Finalize();
  return 0;
}
