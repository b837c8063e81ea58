/* Holes in files, by fallocate: a file system that knows none says so, and the caller keeps the
 * bytes. Offsets and lengths that do not fit off_t are refused before the system sees them. */
#include "os/file/hole.h"

#include <fcntl.h>
#include <sys/statvfs.h>

uint64_t tv_file_room(int fd)
{
    struct statvfs disk;
    return fstatvfs(fd, &disk) == 0 ? (uint64_t)disk.f_bavail * disk.f_frsize : UINT64_MAX;
}

bool tv_file_give_back(int fd, uint64_t from, uint64_t len)
{
    return from <= INT64_MAX && len <= INT64_MAX - from &&
           fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)len) == 0;
}
