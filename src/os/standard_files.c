/*
 * Reserves the numbers 0, 1 and 2; see os/standard_files.h. A program that is started without one
 * of them would get its number for the next file that it opens, and messages would be written into
 * that file. open() gives the lowest free number, so in this order each gets its own.
 */
#include "os/standard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void tv_standard_files_reserve(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* Opened the wrong way round: reading the input and writing the others fail. */
        int way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", way) < 0)
            return; /* without /dev/null nothing can be done */
    }
}
