/*
 * Loaded before the C library (LD_PRELOAD): the n-th system call that changes the disk does not
 * happen. tests/store/killed.py sets
 *
 *     STORE_FAULT_AT=N      which call; 0: none, calls are only counted
 *     STORE_FAULT=kill      the process is killed instead; "half": in the middle of a write
 *     STORE_FAULT=EIO       the call fails, and only this one
 *     STORE_FAULT=ENOSPC    this one and all later ones that need room fail
 *     STORE_FAULT=EDQUOT    the same of a user's share of the disk
 *     STORE_FAULT=slow      each call takes up to a millisecond longer; nothing fails
 *     STORE_FAULT=nameless  there are no files without a name; nothing else fails
 *     STORE_FAULT=lockless  nor are there locks: what an NFS server without its lock daemon has
 *     STORE_FAULT_COUNT=PATH   gets the number of calls, when the process ends by itself
 *
 * Calls of SQLite and of the store go through here alike, and so does what libpq sends to a server:
 * a process is killed between two statements, or loses its connection.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum kind { NONE, KILL, HALF, EIO_ONCE, ENOSPC_FROM, EDQUOT_FROM, SLOW, NAMELESS, LOCKLESS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long calls, at;
static enum kind kind;

__attribute__((constructor)) static void begin(void)
{
    static const char *const names[] = {"",       "kill", "half",     "EIO",     "ENOSPC",
                                        "EDQUOT", "slow", "nameless", "lockless"};
    const char *fault = getenv("STORE_FAULT");
    const char *place = getenv("STORE_FAULT_AT");
    at = place ? strtoul(place, NULL, 10) : 0;
    for (size_t i = 0; fault && i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i], fault) == 0)
            kind = (enum kind)i;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("STORE_FAULT_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        (void)fprintf(file, "%lu\n", calls);
        (void)fclose(file);
    }
}

/* Takes up to a millisecond, by the number of the call. */
static void dawdle(unsigned long call)
{
    struct timespec moment = {.tv_nsec = (long)(call * 2654435761u >> 8 & 0xfffff)};
    (void)nanosleep(&moment, NULL);
}

/* Whether the call must fail; errno says why. */
static bool fails(bool needs_room, bool is_write, bool *is_half)
{
    pthread_mutex_lock(&lock);
    unsigned long call = ++calls;
    pthread_mutex_unlock(&lock);
    if (is_half)
        *is_half = false;
    if (kind == SLOW)
        dawdle(call);
    if (!at || call < at || kind == NONE || kind >= SLOW)
        return false;
    if (kind == ENOSPC_FROM || kind == EDQUOT_FROM) {
        errno = kind == ENOSPC_FROM ? ENOSPC : EDQUOT;
        return needs_room;
    }
    if (call > at)
        return false;
    if (kind == EIO_ONCE) {
        errno = EIO;
        return true;
    }
    if (kind == HALF && is_write && is_half) {
        *is_half = true;
        return false;
    }
    (void)kill(getpid(), SIGKILL);
    return true;
}

/* The function of the C library that this one stands before. */
static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        abort();
    return function;
}

/* A pointer to data becomes one to a function by its bytes: C has no conversion for it. */
#define CALL(type, name, ...)                                                                      \
    __extension__({                                                                                \
        type *function_;                                                                           \
        void *found_ = next(name);                                                                 \
        memcpy(&function_, &found_, sizeof(function_));                                            \
        function_(__VA_ARGS__);                                                                    \
    })

typedef ssize_t write_function(int, const void *, size_t);
typedef ssize_t write_at_function(int, const void *, size_t, off_t);
typedef ssize_t copy_function(int, off_t *, int, off_t *, size_t, unsigned);
typedef ssize_t send_function(int, const void *, size_t, int);
typedef int file_function(int);
typedef int cut_function(int, off_t);
typedef int mode_function(int, mode_t);
typedef int link_function(int, const char *, int, const char *, int);
typedef int rename_in_function(int, const char *, int, const char *);
typedef int rename_function(const char *, const char *);
typedef int unlink_in_function(int, const char *, int);
typedef int path_function(const char *);
typedef int make_in_function(int, const char *, mode_t);
typedef int make_function(const char *, mode_t);
typedef int open_in_function(int, const char *, int, ...);
typedef int open_function(const char *, int, ...);
typedef int control_function(int, int, ...);

/* Lines that say what is done go to standard output, and are none of the store. */
ssize_t write(int fd, const void *bytes, size_t len)
{
    bool is_half = false;
    if (fd > 2 && fails(true, true, &is_half))
        return -1;
    ssize_t done = CALL(write_function, "write", fd, bytes, is_half ? len / 2 : len);
    if (is_half)
        (void)kill(getpid(), SIGKILL);
    return done;
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    return fails(false, false, NULL) ? -1 : CALL(send_function, "send", fd, bytes, len, flags);
}

static ssize_t write_at(const char *name, int fd, const void *bytes, size_t len, off_t offset)
{
    bool is_half = false;
    if (fails(true, true, &is_half))
        return -1;
    ssize_t done = CALL(write_at_function, name, fd, bytes, is_half ? len / 2 : len, offset);
    if (is_half)
        (void)kill(getpid(), SIGKILL);
    return done;
}

ssize_t copy_file_range(int from, off_t *from_off, int to, off_t *to_off, size_t len,
                        unsigned flags)
{
    bool is_half = false;
    if (fails(true, true, &is_half))
        return -1;
    ssize_t done = CALL(copy_function, "copy_file_range", from, from_off, to, to_off,
                        is_half ? len / 2 : len, flags);
    if (is_half)
        (void)kill(getpid(), SIGKILL);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    return write_at("pwrite", fd, bytes, len, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset)
{
    return write_at("pwrite64", fd, bytes, len, offset);
}

int fsync(int fd)
{
    return fails(false, false, NULL) ? -1 : CALL(file_function, "fsync", fd);
}

int fdatasync(int fd)
{
    return fails(false, false, NULL) ? -1 : CALL(file_function, "fdatasync", fd);
}

int ftruncate(int fd, off_t len)
{
    return fails(false, false, NULL) ? -1 : CALL(cut_function, "ftruncate", fd, len);
}

int ftruncate64(int fd, off_t len)
{
    return fails(false, false, NULL) ? -1 : CALL(cut_function, "ftruncate64", fd, len);
}

int fchmod(int fd, mode_t mode)
{
    return fails(false, false, NULL) ? -1 : CALL(mode_function, "fchmod", fd, mode);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
    return fails(true, false, NULL) ? -1 : CALL(link_function, "linkat", from, old, to, new, flags);
}

int renameat(int from, const char *old, int to, const char *new)
{
    return fails(true, false, NULL) ? -1 : CALL(rename_in_function, "renameat", from, old, to, new);
}

int rename(const char *old, const char *new)
{
    return fails(true, false, NULL) ? -1 : CALL(rename_function, "rename", old, new);
}

int unlinkat(int folder, const char *path, int flags)
{
    return fails(false, false, NULL) ? -1
                                     : CALL(unlink_in_function, "unlinkat", folder, path, flags);
}

int unlink(const char *path)
{
    return fails(false, false, NULL) ? -1 : CALL(path_function, "unlink", path);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    return fails(true, false, NULL) ? -1 : CALL(make_in_function, "mkdirat", folder, path, mode);
}

int mkdir(const char *path, mode_t mode)
{
    return fails(true, false, NULL) ? -1 : CALL(make_function, "mkdir", path, mode);
}

static int open_in(const char *name, int folder, const char *path, int flags, mode_t mode)
{
    if ((kind == NAMELESS || kind == LOCKLESS) && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if ((flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) && fails(true, false, NULL))
        return -1;
    return CALL(open_in_function, name, folder, path, flags, mode);
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return open_in("openat", folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return open_in("openat64", folder, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    if (flags & O_CREAT && fails(true, false, NULL))
        return -1;
    return CALL(open_function, "open64", path, flags, mode);
}

/* Of fcntl(2) all arguments are as wide as a pointer. */
static int control(const char *name, int fd, int command, void *argument)
{
    if (kind == LOCKLESS && (command == F_SETLK || command == F_SETLKW)) {
        errno = ENOLCK;
        return -1;
    }
    return CALL(control_function, name, fd, command, argument);
}

int fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return control("fcntl", fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return control("fcntl64", fd, command, argument);
}
