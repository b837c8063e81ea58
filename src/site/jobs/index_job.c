/*
 * The parent's side of an index job; see site/jobs/index_job.h.
 *
 * The child is not believed: whatever it says, the index that it wrote is opened and checked in
 * full before it is kept. An index that fails the check counts as a failure of the child. The file
 * is mapped, and the child may still have it open, so the check runs under tv_mapping_run.
 */
#include "site/jobs/index_job.h"

#include <stddef.h>
#include <sys/stat.h>

#include "base/str.h"
#include "index/index.h"
#include "index/saved/saved.h"
#include "os/memory/mapping.h"
#include "os/sandbox/sandboxed_child.h"
#include "site/jobs/index_child.h"

#define IDENTITY_DIGITS 16u

struct tv_saved_source tv_index_job_source(const char *raw_hash)
{
    struct tv_saved_source source = {.identity = {0, 0}};
    for (size_t i = 0; i < 2; i++)
        (void)tv_str_to_u64((struct tv_str){raw_hash + i * IDENTITY_DIGITS, IDENTITY_DIGITS}, 16,
                            &source.identity[i]);
    return source;
}

static uint64_t file_len(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

/* The child's memory and the length of its index have one bound. The limit of CPU time allows all
 * threads to work all the time. */
static enum tv_code run_child(const struct tv_index_job *job, const struct tv_saved_source *source,
                              int raw, int draft, enum tv_sandboxed_end *end, struct tv_error *err)
{
    const struct tv_index_child told = {.identity = {source->identity[0], source->identity[1]},
                                        .unpacked_most = job->memory,
                                        .thread_count = job->thread_count};
    struct tv_index_child_words words;
    tv_index_child_words(&words, &told);
    const struct tv_sandboxed_child child = {.words = words.words,
                                             .in_fd = raw,
                                             .out_fd = draft,
                                             .limits = {.memory = job->memory,
                                                        .file_len = job->memory,
                                                        /* All threads at work all the time. */
                                                        .cpu_s = job->seconds * job->thread_count,
                                                        .wall_s = job->seconds},
                                             .has_user = job->has_user,
                                             .user = job->user,
                                             .group = job->group,
                                             .goes_on = job->goes_on,
                                             .ctx = job->ctx};
    return tv_sandboxed_child_run(&child, end, err);
}

/* The arguments of check_mapped, for tv_mapping_run. */
struct checking {
    const struct tv_index_job *job;
    const struct tv_saved_source *source;
    struct tv_mapping file;
    struct tv_error *err;
    enum tv_code code;
};

static void check_mapped(void *ctx)
{
    struct checking *checking = ctx;
    const struct tv_index_job *job = checking->job;
    struct tv_index index;
    checking->code =
        tv_saved_open(&index, (struct tv_saved_bytes){checking->file.bytes, checking->file.len},
                      checking->source, job->alloc, job->pool, checking->err);
    if (checking->code == TV_OK)
        checking->code = tv_saved_check(&index, job->alloc, job->pool, checking->err);
}

/* TV_ERR_FORMAT: the index is not what an honest child writes. */
static enum tv_code check_index(const struct tv_index_job *job,
                                const struct tv_saved_source *source, int draft,
                                struct tv_error *err)
{
    struct checking checking = {.job = job, .source = source, .err = err};
    uint64_t len = file_len(draft);
    if (len <= TV_SAVED_HEAD_LEN)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "there is none");
    TV_TRY(tv_mapping_open(&checking.file, draft, (size_t)len, err));
    tv_mapping_stop_readers(checking.file.bytes);
    enum tv_code code = tv_mapping_run(check_mapped, &checking, err);
    if (code == TV_OK)
        code = checking.code;
    tv_mapping_release(&checking.file);
    return code;
}

/* Whether the trace or this machine is to blame decides what becomes of the job: a trace is not
 * tried again, a machine may be. */
enum tv_index_job_end tv_index_job_run(const struct tv_index_job *job, const char *raw_hash,
                                       int raw, int draft, struct tv_error *err)
{
    const struct tv_saved_source source = tv_index_job_source(raw_hash);
    struct tv_error reason = {.code = TV_OK};
    enum tv_sandboxed_end end;
    if (run_child(job, &source, raw, draft, &end, err) != TV_OK)
        return TV_INDEX_JOB_UNABLE;
    switch (end) {
    case TV_CHILD_REFUSED:
        return TV_INDEX_JOB_REFUSED;
    case TV_CHILD_BROKEN:
        return TV_INDEX_JOB_FAILED;
    case TV_CHILD_UNABLE:
        return TV_INDEX_JOB_UNABLE;
    case TV_CHILD_STOPPED:
        return TV_INDEX_JOB_STOPPED;
    case TV_CHILD_DONE:
        break;
    }
    enum tv_code code = check_index(job, &source, draft, &reason);
    if (code == TV_OK)
        return TV_INDEX_JOB_DONE;
    if (code != TV_ERR_FORMAT) {
        *err = reason;
        return TV_INDEX_JOB_UNABLE;
    }
    (void)tv_fail(err, reason.code, TV_NO_OFFSET, "reading it gave an index that cannot be: %s",
                  reason.text);
    return TV_INDEX_JOB_FAILED;
}
