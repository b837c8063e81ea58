/* The lowest free number is what open() gives, so in this order each gets its own. */
#include "os/standard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void tv_standard_files_reserve(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* Open the wrong way round: reading the one and writing the others fail. */
        int way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", way) < 0)
            return; /* no /dev/null: nothing better is to be had */
    }
}
