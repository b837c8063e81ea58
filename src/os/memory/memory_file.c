/*
 * Files in memory, memfd_create(2), and their seals; see os/memory/memory_file.h. The kernel
 * refuses to seal a file against writing while any process has it mapped to write, so what is
 * sealed cannot change.
 */
#include "os/memory/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int tv_memory_file_open(void)
{
    return memfd_create("traceview", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool tv_memory_file_seal(int fd, uint64_t *len)
{
    struct stat status;
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0 ||
        fstat(fd, &status) != 0)
        return false;
    *len = (uint64_t)status.st_size;
    return true;
}
