/*
 * No core file; see os/process/core_file.h. The limit alone is not enough: the kernel does not ask
 * it where a program takes core files from a pipe (core(5)). A process that is not dumpable has
 * none in either case.
 */
#include "os/process/core_file.h"

#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>

void tv_core_file_forbid(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
