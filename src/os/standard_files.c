/* Reserves the standard files; open() gives the lowest free number, so in this order each
 * gets its own. */
#include "os/standard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void tv_standard_files_reserve(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* Opened the wrong way round, so that reading the input, and writing the others, fails. */
        int way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", way) < 0)
            return; /* without /dev/null nothing can be done */
    }
}
