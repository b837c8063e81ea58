/*
 * The file of a recording; see record/output.h.
 *
 * Bytes are gathered in a buffer of fixed size, and written when it is full or flushed. `whole` is
 * the length of the file up to the last flush, which always comes between records: a write that
 * fails cuts the file back to it, so that a full disk leaves a trace that ends early and no half
 * record. After the first failure everything that comes is dropped, and the error is kept for the
 * end. A program that is killed leaves at least what was flushed.
 */
#include "record/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The descriptor is moved to at least this number: programs that close or count their own
 * descriptors seldom mean one so high. */
#define DESCRIPTOR_LEAST 200
#define OWN_FILES_MOST 100000u
/* Looks at a file that comes and goes meanwhile. */
#define LOOKS_MOST 100u

/* Keeps the path from the root, since the program may change its working directory before the file
 * is opened again. */
static bool keep_path(struct tv_output *output, const char *path)
{
    size_t len = 0;
    if (path[0] != '/') {
        if (!getcwd(output->path, sizeof(output->path)))
            return false;
        len = strlen(output->path);
        output->path[len++] = '/';
    }
    size_t more = strlen(path) + 1;
    if (more > sizeof(output->path) - len)
        return false;
    memcpy(output->path + len, path, more);
    return true;
}

static void move_up(struct tv_output *output)
{
    int moved = fcntl(output->descriptor, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
    if (moved < 0)
        return; /* the limit of descriptors is lower */
    close(output->descriptor);
    output->descriptor = moved;
}

int tv_output_make_own(char path[PATH_MAX], const char *parts)
{
    for (unsigned i = 0; i < OWN_FILES_MOST; i++) {
        const int len = i ? snprintf(path, PATH_MAX, "%s.%ld-%u", parts, (long)getpid(), i)
                          : snprintf(path, PATH_MAX, "%s.%ld", parts, (long)getpid());
        if (len < 0 || len >= PATH_MAX)
            return ENAMETOOLONG;
        const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        if (file >= 0) {
            close(file);
            return 0;
        }
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/* Whether what stands at a path, from the root, was put there by a stranger in a folder where
 * everybody may put files, as os/file/paths.c decides for the command. */
static bool is_strangers(const char *path, const struct stat *there)
{
    char folder_path[PATH_MAX];
    struct stat folder;
    (void)snprintf(folder_path, sizeof(folder_path), "%.*s", (int)(strrchr(path, '/') + 1 - path),
                   path);
    return there->st_uid != geteuid() && stat(folder_path, &folder) == 0 &&
           (folder.st_mode & S_ISVTX) && (folder.st_mode & S_IWOTH) &&
           there->st_uid != folder.st_uid;
}

/* A stranger may have put a link there to a file of the user's, which would be overwritten, a file
 * that is to be read, or a pipe, which would be waited for. Whoever makes the file knows whose it
 * is, and in such a folder nobody else can replace it. -1: errno says why. */
static int open_file(const char *path)
{
    struct stat there;
    for (unsigned looks = 0; looks < LOOKS_MOST; looks++) {
        const int made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        if (made >= 0 || errno != EEXIST)
            return made;
        if (lstat(path, &there) != 0)
            continue;
        if (!is_strangers(path, &there))
            return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
        errno = EACCES;
        return -1;
    }
    return -1;
}

int tv_output_open(struct tv_output *output, const char *path)
{
    output->len = 0;
    output->counted = NULL;
    output->error = 0;
    output->written = output->whole = 0;
    if (!keep_path(output, path))
        return ENAMETOOLONG;
    output->descriptor = open_file(output->path);
    if (output->descriptor < 0)
        return errno;
    move_up(output);
    struct stat status;
    if (fstat(output->descriptor, &status) != 0)
        return errno;
    output->device = status.st_dev;
    output->inode = status.st_ino;
    return 0;
}

bool tv_output_is_awaited_yet(const char *marker)
{
    const int file = marker ? open(marker, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (file < 0)
        return true;
    const bool is_locked = flock(file, LOCK_SH | LOCK_NB) != 0;
    close(file);
    return is_locked;
}

bool tv_output_is_awaited(const char *marker)
{
    if (marker && access(marker, F_OK) != 0 && errno == ENOENT)
        return false;
    return tv_output_is_awaited_yet(marker);
}

static bool is_the_file(const struct tv_output *output, int descriptor)
{
    struct stat status;
    return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == output->device &&
           status.st_ino == output->inode;
}

/* Whether the file that is open has no name any more: nobody would ever read what is written. */
static bool is_removed(const struct tv_output *output)
{
    struct stat status;
    return fstat(output->descriptor, &status) == 0 && !status.st_nlink;
}

/* Opens the file again where the program closed its descriptor. */
static bool is_open(struct tv_output *output)
{
    if (is_the_file(output, output->descriptor))
        return true;
    int again = open(output->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (again >= 0 && !is_the_file(output, again)) {
        close(again);
        again = -1;
    }
    output->descriptor = again;
    if (again < 0)
        return false;
    move_up(output);
    return true;
}

/* A write beyond the limit of file sizes, or into a pipe that nobody reads, sends SIGXFSZ or
 * SIGPIPE, which would end the program. All signals are blocked under the lock, so the signal is
 * pending: this takes it out again. */
static void take_back_signal(int error)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, error == EFBIG ? SIGXFSZ : SIGPIPE);
    sigtimedwait(&set, NULL, &(struct timespec){.tv_sec = 0});
}

static bool write_all(struct tv_output *output)
{
    size_t at = 0;
    while (at < output->len) {
        ssize_t len = write(output->descriptor, output->bytes + at, output->len - at);
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0) {
            output->error = len < 0 ? errno : ENOSPC;
            if (output->error == EFBIG || output->error == EPIPE)
                take_back_signal(output->error);
            return false;
        }
        at += (size_t)len;
        output->written += (size_t)len;
    }
    return true;
}

/* Writes what is in the buffer. A failure is for good: the file is cut back to its last whole
 * record, and nothing is written any more. */
static void write_waiting(struct tv_output *output)
{
    if (output->len && !output->error) {
        if (!is_open(output)) {
            output->error = EBADF;
        } else if (is_removed(output)) {
            output->error = ENOENT;
        } else if (!write_all(output)) {
            /* A device or a pipe cannot be cut. */
            if (ftruncate(output->descriptor, (off_t)output->whole) == 0)
                output->written = output->whole;
        }
    }
    output->len = 0;
}

void tv_output_put(struct tv_output *output, const void *bytes, size_t len)
{
    const char *at = bytes;
    if (output->counted) {
        *output->counted += len;
        return;
    }
    while (len) {
        if (output->len == sizeof(output->bytes))
            write_waiting(output);
        size_t fits = sizeof(output->bytes) - output->len;
        size_t part = len < fits ? len : fits;
        memcpy(output->bytes + output->len, at, part);
        output->len += part;
        at += part;
        len -= part;
    }
}

uint8_t *tv_output_reserve(struct tv_output *output, size_t len)
{
    if (len > sizeof(output->bytes) - output->len)
        write_waiting(output);
    return output->bytes + output->len;
}

void tv_output_filled(struct tv_output *output, size_t len)
{
    output->len += len;
}

bool tv_output_flush(struct tv_output *output)
{
    write_waiting(output);
    if (!output->error)
        output->whole = output->written;
    return output->error == 0;
}

int tv_output_close(struct tv_output *output)
{
    tv_output_flush(output);
    if (is_the_file(output, output->descriptor) && close(output->descriptor) != 0 && !output->error)
        output->error = errno;
    output->descriptor = -1;
    return output->error;
}

void tv_output_abandon(struct tv_output *output)
{
    if (is_the_file(output, output->descriptor))
        close(output->descriptor);
    output->descriptor = -1;
    output->len = 0;
}
