/*
 * One trace to one index, in a sandbox; see site/jobs/index_child.h.
 *
 * The child reads the trace from standard input, mappings of names from the descriptors from 3 on,
 * and writes the index to standard output; all are files that the parent has opened. The order is
 * fixed: what the system must be asked for is asked first; then comes the Landlock domain; then
 * threads start; then the filter of system calls closes, and only then is a byte of the trace
 * interpreted. The process ends by _exit() and releases nothing: a process whose memory a hostile
 * trace may have written over should do as little as it can.
 */
#include "site/jobs/index_child.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory/buffer.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/index.h"
#include "index/memory.h"
#include "index/saved/saved.h"
#include "os/file/unpack.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping.h"
#include "os/process/pool.h"
#include "os/sandbox/sandbox.h"
#include "os/sandbox/sandboxed_child.h"
#include "retrace/renaming_choice.h"

/* What the last word says, a bit each. */
enum { LOCAL = 1, TRUSTED = 2, TELLS = 4 };

/* Numbers that the child needs beside its open files are words of its command line. */
void tv_index_child_words(struct tv_index_child_words *words, const struct tv_index_child *child)
{
    char(*of)[TV_INDEX_CHILD_WORD_CAP] = words->of;
    (void)snprintf(of[0], TV_INDEX_CHILD_WORD_CAP, "traceview");
    (void)snprintf(of[1], TV_INDEX_CHILD_WORD_CAP, "%s", TV_INDEX_CHILD_WORD);
    (void)snprintf(of[2], TV_INDEX_CHILD_WORD_CAP, "%016" PRIx64, child->identity[0]);
    (void)snprintf(of[3], TV_INDEX_CHILD_WORD_CAP, "%016" PRIx64, child->identity[1]);
    (void)snprintf(of[4], TV_INDEX_CHILD_WORD_CAP, "%" PRIu64, child->unpacked_most);
    (void)snprintf(of[5], TV_INDEX_CHILD_WORD_CAP, "%u", child->thread_count);
    (void)snprintf(of[6], TV_INDEX_CHILD_WORD_CAP, "%u", child->mapping_count);
    (void)snprintf(of[7], TV_INDEX_CHILD_WORD_CAP, "%016" PRIx64, child->names);
    (void)snprintf(of[8], TV_INDEX_CHILD_WORD_CAP, "%u",
                   (child->is_local ? LOCAL : 0u) | (child->is_trusted ? TRUSTED : 0u) |
                       (child->tells ? TELLS : 0u));
    for (size_t i = 0; i < TV_INDEX_CHILD_WORDS; i++)
        words->words[i] = of[i];
    words->words[TV_INDEX_CHILD_WORDS] = NULL;
}

bool tv_index_child_is_asked(int word_count, char *const *words)
{
    return word_count > 1 && strcmp(words[1], TV_INDEX_CHILD_WORD) == 0;
}

/* The words come from this program; anything else means that a user has typed them. */
static bool take_words(struct tv_index_child *child, int word_count, char *const *words)
{
    uint64_t threads, mappings, flags;
    if (word_count != (int)TV_INDEX_CHILD_WORDS ||
        !tv_str_to_u64(tv_str_from(words[2]), 16, &child->identity[0]) ||
        !tv_str_to_u64(tv_str_from(words[3]), 16, &child->identity[1]) ||
        !tv_str_to_u64(tv_str_from(words[4]), 10, &child->unpacked_most) ||
        !tv_str_to_u64(tv_str_from(words[5]), 10, &threads) || !threads || threads > UINT16_MAX ||
        !tv_str_to_u64(tv_str_from(words[6]), 10, &mappings) || mappings > TV_CHILD_MORE_FILES ||
        !tv_str_to_u64(tv_str_from(words[7]), 16, &child->names) ||
        !tv_str_to_u64(tv_str_from(words[8]), 10, &flags) || flags > (LOCAL | TRUSTED | TELLS))
        return false;
    child->thread_count = (unsigned)threads;
    child->mapping_count = (unsigned)mappings;
    child->is_local = flags & LOCAL;
    child->is_trusted = flags & TRUSTED;
    child->tells = flags & TELLS;
    return true;
}

/* What a child has while it works. */
struct work {
    struct tv_index_child told;
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    struct tv_mapping file;
    struct tv_buffer unpacked;
    struct tv_read_opts read_opts;
    struct tv_str bytes; /* of the trace, unpacked */
    struct tv_mapping mappings[TV_CHILD_MORE_FILES];
    struct tv_str texts[TV_CHILD_MORE_FILES]; /* of the mappings */
    struct tv_renaming_choice names;
    struct tv_index_child_told *how_far; /* shared with the parent; NULL: nobody wants to know */
};

/* The parent may see the numbers of two moments: they are for people. */
static bool tell(void *ctx, uint64_t done, uint64_t of)
{
    struct work *work = ctx;
    if (work->how_far) {
        work->how_far->done = done;
        work->how_far->of = of;
    }
    return true;
}

static void meet(void *barrier, size_t task_ix)
{
    (void)task_ix;
    (void)pthread_barrier_wait(barrier);
}

/* Waits until every thread runs: a thread that starts asks the system for things that the filter
 * forbids. Each thread takes exactly one task, since no task ends before all have begun. */
static void meet_threads(const struct tv_pool *pool)
{
    pthread_barrier_t barrier;
    if (pthread_barrier_init(&barrier, NULL, pool->thread_count) == 0)
        pool->run(pool->ctx, meet, &barrier, pool->thread_count);
}

/* Maps the files of mappings. One that cannot be mapped fits no trace, as an empty text does. */
static void open_mappings(struct work *work)
{
    for (unsigned i = 0; i < work->told.mapping_count; i++) {
        struct stat status;
        const int fd = STDERR_FILENO + 1 + (int)i;
        struct tv_mapping *file = &work->mappings[i];
        if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
            tv_mapping_open(file, fd, (size_t)status.st_size, NULL) == TV_OK)
            work->texts[i] = (struct tv_str){(const char *)file->bytes, file->len};
    }
}

/* Maps the file that takes how far reading is. Without it the child works, too. */
static void open_how_far(struct work *work)
{
    struct stat status;
    const int fd = STDERR_FILENO + 1 + (int)work->told.mapping_count;
    if (!work->told.tells || fstat(fd, &status) != 0 ||
        status.st_size < (off_t)sizeof(*work->how_far))
        return;
    void *bytes = mmap(NULL, sizeof(*work->how_far), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    work->how_far = bytes == MAP_FAILED ? NULL : bytes;
}

/* Does what needs files and threads, and closes the sandbox. */
static enum tv_code prepare(struct work *work, struct tv_error *err)
{
    struct stat status;
    struct tv_workers *workers;
    struct tv_sandbox sandbox;
    if (fstat(STDIN_FILENO, &status) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be looked at: %s",
                       strerror(errno));
    if (!S_ISREG(status.st_mode) || status.st_size <= 0)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "is empty: record the trace again");
    TV_TRY(tv_mapping_open(&work->file, STDIN_FILENO, (size_t)status.st_size, err));
    tv_mapping_read_ahead(&work->file);
    open_mappings(work);
    open_how_far(work);
    tv_sandbox_enter_landlock(&sandbox);
    TV_TRY(tv_workers_new(&workers, work->alloc, work->told.thread_count, err));
    work->pool = tv_workers_pool(workers);
    meet_threads(work->pool);
    tv_sandbox_close(&sandbox);
    return TV_OK;
}

/* The limit was chosen by the parent, from the length of the file. */
static enum tv_code unpack(struct work *work, struct tv_error *err)
{
    const struct tv_mapping *file = &work->file;
    const struct tv_inflate_opts opts = {.progress = tell,
                                         .progress_ctx = work,
                                         .most_len = work->told.unpacked_most,
                                         .is_trusted = work->told.is_trusted};
    work->bytes = (struct tv_str){(const char *)file->bytes, file->len};
    if (!tv_is_packed(file->bytes, file->len))
        return TV_OK;
    enum tv_code code = tv_unpack(file->bytes, file->len, &opts, &work->unpacked,
                                  &work->read_opts.is_packed_cut, err);
    if (code == TV_ERR_LIMIT && !work->told.is_local)
        return tv_fail(err, code, TV_NO_OFFSET,
                       "unpacks to much more than a trace of this size: upload it unpacked");
    TV_TRY(code);
    work->bytes = tv_buffer_view(&work->unpacked);
    work->read_opts.packed_len = file->len;
    if (!work->bytes.len)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                       "the packed data ends before anything could be unpacked: fetch it again");
    return TV_OK;
}

/* Of a site EFBIG is the limit of file sizes that the parent set: the index would be larger than
 * the site keeps. A local viewer sets none, and its user may have (ulimit -f). */
static enum tv_code write_whole(const struct work *work, const void *bytes, size_t len,
                                struct tv_error *err)
{
    const uint8_t *at = bytes;
    while (len) {
        ssize_t done = write(STDOUT_FILENO, at, len);
        if (done < 0 && errno == EFBIG && !work->told.is_local)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                           "its index is larger than this site keeps");
        if (done <= 0 && !(done < 0 && errno == EINTR))
            return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "its index cannot be written: %s",
                           done < 0 ? strerror(errno) : "nothing was taken");
        at += done > 0 ? done : 0;
        len -= done > 0 ? (size_t)done : 0;
    }
    return TV_OK;
}

/* The head has the sum of everything behind it, so the parent can check what a broken child wrote.
 */
static enum tv_code write_index(const struct work *work, const struct tv_index *index,
                                struct tv_error *err)
{
    const struct tv_saved_source source = {
        .identity = {work->told.identity[0], work->told.identity[1]}, .names = work->told.names};
    uint8_t head[TV_SAVED_HEAD_LEN];
    if (!tv_saved_can_hold(index))
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "has no times, or times of more than 292 years: %s opens it",
                       work->told.is_local ? "--sandbox=never" : "the local viewer");
    TV_TRY(tv_saved_seal(index, &source, work->alloc, work->pool, head, err));
    TV_TRY(write_whole(work, head, sizeof(head), err));
    return write_whole(work, index->block, index->block_len, err);
}

/* Nobody lifts the bound on a site; unpacked, the same trace may have a higher one. */
static enum tv_code refuse_index(const struct tv_made_of *of, struct tv_error *err)
{
    const struct tv_made_of unpacked = {.len = of->len};
    bool helps = tv_memory_of_index(&unpacked) > tv_memory_of_index(of);
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                   "its index takes much more than that of a%s trace of this size: %s",
                   helps ? " packed" : "",
                   helps ? "upload it unpacked" : "the local viewer opens it with --unpack-all");
}

/* The bytes are hostile from here on. */
static enum tv_code make_index(struct work *work, struct tv_error *err)
{
    const struct tv_build_opts opts = {.pool = work->pool, .progress = tell, .progress_ctx = work};
    struct tv_trace trace;
    struct tv_index index;
    TV_TRY(unpack(work, err));
    work->read_opts.is_trusted = work->told.is_trusted;
    if (work->how_far)
        work->how_far->is_reading = 1;
    tv_trace_init(&trace, work->alloc);
    tv_renaming_choice_init(&work->names, work->alloc,
                            &(struct tv_mappings){work->texts, work->told.mapping_count, false});
    if (work->told.mapping_count)
        work->read_opts.renaming = tv_renaming_choice_opts(&work->names);
    TV_TRY(tv_trace_open(&trace, (const uint8_t *)work->bytes.at, work->bytes.len, &work->read_opts,
                         err));
    tv_index_init(&index);
    enum tv_code code = tv_index_build(&index, &trace, &opts, err);
    const struct tv_made_of of = tv_trace_made_of(&trace);
    if (code == TV_ERR_LIMIT && tv_memory_is_liftable(&of) && !work->told.is_local)
        return refuse_index(&of, err);
    TV_TRY(code);
    return write_index(work, &index, err);
}

/* Tells the parent which mapping the names come from. If the line cannot be written, the parent
 * leaves that out of its report. */
static bool tell_names(const struct work *work)
{
    const struct tv_mapping_choice *choice = &work->names.choice;
    char line[128];
    if (!work->told.mapping_count)
        return true;
    int len = snprintf(line, sizeof(line), TV_INDEX_CHILD_NAMES "\n", (unsigned)choice->by,
                       choice->chosen, choice->renamed, choice->asked, choice->known);
    return write(STDERR_FILENO, line, (size_t)len) == len;
}

/* Ends with one line on standard error, which the parent shows as the reason. */
static _Noreturn void end(int status, const struct tv_error *err)
{
    char line[sizeof(err->text) + 40];
    int len =
        err->offset == TV_NO_OFFSET
            ? snprintf(line, sizeof(line), "%s\n", err->text)
            : snprintf(line, sizeof(line), "%s (offset %" PRIu64 ")\n", err->text, err->offset);
    /* When writing fails, nobody can be told. */
    if (len > 0 && write(STDERR_FILENO, line, (size_t)len) < 0)
        _exit(TV_CHILD_STATUS_FAILED);
    _exit(status);
}

/* Whose fault a failure is: this try's (memory), the system's, or the trace's. */
static int status_of(enum tv_code code)
{
    if (code == TV_ERR_MEMORY)
        return TV_CHILD_STATUS_FAILED;
    return code == TV_ERR_SYSTEM ? TV_CHILD_STATUS_UNABLE : TV_CHILD_STATUS_REFUSED;
}

/* Ends the process in any case, and by _exit: nothing of the parent's may run here. */
void tv_index_child_run(int word_count, char *const *words)
{
    struct work work = {.alloc = tv_os_alloc()};
    struct tv_error err = {.code = TV_OK, .offset = TV_NO_OFFSET};
    tv_buffer_init(&work.unpacked, work.alloc);
    /* With the signal ignored, a write beyond the limit of file sizes fails and can be told. */
    (void)signal(SIGXFSZ, SIG_IGN);
    enum tv_code code =
        take_words(&work.told, word_count, words)
            ? TV_OK
            : tv_fail(&err, TV_ERR_SYSTEM, TV_NO_OFFSET, "this is no word of a user");
    if (code == TV_OK)
        code = prepare(&work, &err);
    if (code == TV_OK)
        code = make_index(&work, &err);
    if (code != TV_OK)
        end(status_of(code), &err);
    (void)tell_names(&work);
    _exit(TV_CHILD_STATUS_DONE);
}
