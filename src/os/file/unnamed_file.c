/*
 * Files without a name; see os/file/unnamed_file.h, and open(2) on O_TMPFILE.
 *
 * The kernel frees such a file when its last descriptor is closed, whatever ends the program, so
 * that no draft has to be tidied up. The name comes last, by a link from /proc, when all bytes are
 * written; not every file system can do this, and the callers then take a draft with a name.
 */
#include "os/file/unnamed_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/file/paths.h"

/* The file is made in the folder of its later name: a link cannot cross file systems. */
int tv_unnamed_file_open(const char *place, mode_t mode)
{
    char folder[TV_PATH_CAP];
    const char *slash = strrchr(place, '/');
    int len = slash ? snprintf(folder, sizeof(folder), "%.*s", (int)(slash + 1 - place), place)
                    : snprintf(folder, sizeof(folder), ".");
    if (len < 0 || (size_t)len >= sizeof(folder))
        return -1;
    return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
}

int tv_unnamed_file_open_in(int folder)
{
    return openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int tv_unnamed_file_name(int fd, int folder, const char *name)
{
    char link[64]; /* linking by the descriptor itself is allowed to root only */
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, folder, name, AT_SYMLINK_FOLLOW);
}

void tv_unnamed_file_send(int fd, off_t from, off_t len)
{
    (void)sync_file_range(fd, from, len, SYNC_FILE_RANGE_WRITE);
}
