/*
 * Mapped files, and the handler of SIGBUS; see os/memory/mapping.h.
 *
 * The handler learns an address and nothing else, so all mappings stand in one table, which is the
 * process's own like the handler itself. The table has a spin lock. The handler may wait for that
 * lock: SIGBUS comes to the thread whose own instruction failed, and no thread reads mapped bytes
 * while it has the lock, so the handler never waits for the thread that it interrupted.
 *
 * Pages of zeros are mapped over the missing ones from within the handler. mmap is one system call,
 * which takes no lock of the C library and allocates nothing there, so it may be called although
 * signal-safety(7) does not list it. All pages to the end of the mapping are replaced at once: what
 * is cut off is the end.
 */
#include "os/memory/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "os/clock.h"

/* A viewer needs few: a trace, the tables beside it, its saved index, and the same again of a trace
 * that is about to be replaced. A site has as many as it may have open indexes. */
#define TABLE_CAP 640u
#define NOT_LOST SIZE_MAX

struct mapped_file {
    uintptr_t from; /* 0: this place is free */
    size_t len;
    int fd; /* tells the length of the file */
    int64_t changed_ns;
    size_t lost_off; /* the first byte that was missing when it was read, or NOT_LOST */
    bool stops_readers;
};

static struct mapped_file table[TABLE_CAP];
static atomic_flag table_lock = ATOMIC_FLAG_INIT;
/* Where the thread goes on when it is stopped; NULL outside of every tv_mapping_run. */
static _Thread_local sigjmp_buf *way_out;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&table_lock, memory_order_acquire))
        (void)sched_yield();
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&table_lock, memory_order_release);
}

/* The file that has the address in its mapping; NULL when none has. */
static struct mapped_file *find(uintptr_t at)
{
    for (size_t i = 0; i < TABLE_CAP; i++) {
        struct mapped_file *file = &table[i];
        if (file->from && at >= file->from && at - file->from < file->len)
            return file;
    }
    return NULL;
}

/* --- in the handler: only what signal-safety(7) allows, and mmap --- */

/* Maps zeros over the missing page and all behind it. */
static bool fill(const struct mapped_file *file, uintptr_t at)
{
    size_t page_len = (size_t)sysconf(_SC_PAGESIZE);
    size_t from = (at - file->from) / page_len * page_len;
    char *hole = (char *)file->from + from; /* NOLINT(performance-no-int-to-ptr): an address */
    return mmap(hole, file->len - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

static void say_and_end(void)
{
    static const char text[] = "traceview: a file became shorter while it was read, or cannot be "
                               "read any more: try again\n";
    /* When writing fails, nobody can be told. */
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        _exit(1);
    _exit(1);
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    int errno_before = errno;
    uintptr_t at = (uintptr_t)info->si_addr;
    (void)context;
    lock();
    struct mapped_file *file = info->si_code > 0 ? find(at) : NULL;
    bool is_ours = file != NULL;
    bool stops = is_ours && file->stops_readers;
    if (is_ours && at - file->from < file->lost_off)
        file->lost_off = at - file->from;
    bool is_filled = is_ours && !stops && fill(file, at);
    unlock();
    errno = errno_before;
    if (is_filled)
        return;
    if (stops)
        tv_mapping_stop();
    if (is_ours)
        say_and_end();
    /* Not a fault of a mapping: with the default action set, the instruction fails once more and
     * the system ends the program. A signal that somebody sent does not repeat itself, so it is
     * sent again. */
    struct sigaction usual = {.sa_handler = SIG_DFL};
    (void)sigemptyset(&usual.sa_mask);
    (void)sigaction(signal_number, &usual, NULL);
    if (info->si_code <= 0)
        (void)raise(signal_number);
}

_Noreturn void tv_mapping_stop(void)
{
    if (!way_out)
        say_and_end();
    siglongjmp(*way_out, 1);
}

/* --- outside of the handler --- */

void tv_mapping_handle_faults(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, NULL);
}

static bool add(struct mapped_file file)
{
    bool is_added = false;
    lock();
    for (size_t i = 0; i < TABLE_CAP && !is_added; i++) {
        is_added = !table[i].from;
        if (is_added)
            table[i] = file;
    }
    unlock();
    return is_added;
}

static enum tv_code refused(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be mapped: %s", strerror(errno));
}

enum tv_code tv_mapping_open(struct tv_mapping *mapping, int fd, size_t len, struct tv_error *err)
{
    struct stat status;
    *mapping = (struct tv_mapping){.bytes = NULL};
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return refused(err);
    void *bytes = MAP_FAILED;
    if (fstat(own, &status) == 0)
        bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, own, 0);
    enum tv_code code = bytes == MAP_FAILED ? refused(err) : TV_OK;
    if (code == TV_OK && !add((struct mapped_file){.from = (uintptr_t)bytes,
                                                   .len = len,
                                                   .fd = own,
                                                   .changed_ns = tv_file_changed_ns(&status),
                                                   .lost_off = NOT_LOST})) {
        (void)munmap(bytes, len);
        code = tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "too many files are open");
    }
    if (code != TV_OK)
        (void)close(own);
    else
        *mapping = (struct tv_mapping){bytes, len};
    return code;
}

/* The bytes without const, for system calls that take them so and do not write. */
static void *address_of(const struct tv_mapping *mapping)
{
    void *bytes;
    memcpy(&bytes, &mapping->bytes, sizeof(bytes));
    return bytes;
}

/* This is advice: where it is refused, nothing is lost. */
void tv_mapping_read_ahead(const struct tv_mapping *mapping)
{
    (void)madvise(address_of(mapping), mapping->len, MADV_SEQUENTIAL);
    (void)madvise(address_of(mapping), mapping->len, MADV_WILLNEED);
}

static void release(void *bytes, size_t len)
{
    int fd = -1;
    lock();
    struct mapped_file *file = find((uintptr_t)bytes);
    if (file) {
        fd = file->fd;
        file->from = 0;
    }
    unlock();
    (void)munmap(bytes, len);
    if (fd >= 0)
        (void)close(fd);
}

void tv_mapping_release(struct tv_mapping *mapping)
{
    if (mapping->bytes)
        release(address_of(mapping), mapping->len);
    *mapping = (struct tv_mapping){.bytes = NULL};
}

static void *release_mapped(void *ctx, void *block, size_t old_len, size_t new_len)
{
    (void)ctx;
    if (block && !new_len)
        release((char *)block - TV_MAPPING_HEAD_LEN, old_len + TV_MAPPING_HEAD_LEN);
    return NULL;
}

static const struct tv_alloc mapping_alloc = {.resize = release_mapped, .ctx = NULL};

const struct tv_alloc *tv_mapping_alloc(void)
{
    return &mapping_alloc;
}

/* A page is missing although the file is as long as before: its disk or its server fails. */
static enum tv_code fail_unreadable(bool is_index, size_t off, const char *why,
                                    struct tv_error *err)
{
    return tv_fail(err, TV_ERR_SYSTEM, off, "%scannot be read any more: %s: try again",
                   is_index ? "its saved index " : "", why);
}

static enum tv_code fail_shorter(bool is_index, size_t off, struct tv_error *err)
{
    return is_index ? tv_fail(err, TV_ERR_SYSTEM, off,
                              "its saved index became shorter while it was read: try again")
                    : tv_fail(err, TV_ERR_SYSTEM, off,
                              "became shorter while it was read: wait until it is written, and try "
                              "again");
}

/* A file that is as long as it was, and was written meanwhile, was shorter in between. */
static enum tv_code fail_lost(const struct mapped_file *file, const struct stat *now,
                              struct tv_error *err)
{
    if ((uint64_t)now->st_size < file->len ||
        (!file->stops_readers && tv_file_changed_ns(now) != file->changed_ns))
        return fail_shorter(file->stops_readers, file->lost_off, err);
    return fail_unreadable(file->stops_readers, file->lost_off, "its disk or its server fails",
                           err);
}

/* Notes that the file has lost bytes. Readers that believe their bytes lose the whole mapping: it
 * is moved behind the end of the file, so that reading any page of it raises SIGBUS. */
static void note_loss(const struct mapped_file *seen, size_t off)
{
    size_t page_len = (size_t)sysconf(_SC_PAGESIZE);
    off_t behind = (off_t)((seen->len + page_len - 1) / page_len * page_len);
    lock();
    struct mapped_file *file = find(seen->from);
    if (file && off < file->lost_off)
        file->lost_off = off;
    if (file && file->stops_readers)
        (void)mmap((char *)file->from, /* NOLINT(performance-no-int-to-ptr): an address */
                   file->len, PROT_READ, MAP_PRIVATE | MAP_FIXED, file->fd, behind);
    unlock();
}

/* A file that became longer is still being written, and its bytes so far are what they were.
 * Opening a saved index changes its time, so of a saved index only the length is compared. */
enum tv_code tv_mapping_check(const void *at, struct tv_error *err)
{
    struct mapped_file file = {.from = 0};
    struct stat now = {.st_size = 0};
    lock();
    const struct mapped_file *found = find((uintptr_t)at);
    if (found)
        file = *found;
    unlock();
    if (!found)
        return TV_OK;
    if (fstat(file.fd, &now) != 0)
        return file.lost_off == NOT_LOST
                   ? tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be looked at: %s",
                             strerror(errno))
                   : fail_unreadable(file.stops_readers, file.lost_off, strerror(errno), err);
    if (file.lost_off != NOT_LOST)
        return fail_lost(&file, &now, err);
    if ((uint64_t)now.st_size < file.len) {
        note_loss(&file, (size_t)now.st_size);
        return fail_shorter(file.stops_readers, (size_t)now.st_size, err);
    }
    if (!file.stops_readers && (size_t)now.st_size == file.len &&
        tv_file_changed_ns(&now) != file.changed_ns)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "changed while it was read: wait until it is written, and try again");
    return TV_OK;
}

void tv_mapping_stop_readers(const void *at)
{
    lock();
    struct mapped_file *file = find((uintptr_t)at);
    if (file)
        file->stops_readers = true;
    unlock();
}

enum tv_code tv_mapping_run(void (*body)(void *ctx), void *ctx, struct tv_error *err)
{
    sigjmp_buf here;
    sigjmp_buf *outer = way_out;
    /* With the mask of signals: a stopped reader does not return from the handler, in which SIGBUS
     * is blocked. */
    if (sigsetjmp(here, 1) != 0) {
        way_out = outer;
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "its saved index became shorter while it was read, or cannot be read any "
                       "more: try again");
    }
    way_out = &here;
    body(ctx);
    way_out = outer;
    return TV_OK;
}
