/*
 * The parent's side of an index job; see site/jobs/index_job.h.
 *
 * The child is not believed: whatever it says, the index that it wrote is opened and checked in
 * full before it is kept. An index that fails the check counts as a failure of the child. The file
 * is mapped, and the child may still have it open, so the check runs under tv_mapping_run.
 */
#include "site/jobs/index_job.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes/checksum.h"
#include "base/names/source_names.h"
#include "base/str.h"
#include "index/index.h"
#include "index/saved/saved.h"
#include "os/file/file.h"
#include "os/memory/mapping.h"
#include "os/sandbox/sandboxed_child.h"
#include "site/jobs/index_child.h"
#include "site/jobs/trace_figures.h"

/* Each mapping that is tried is a file more that the child may read. */
_Static_assert(TV_STORE_MAPPINGS_MOST == TV_CHILD_MORE_FILES,
               "a child takes as many files as the store names mappings");

#define IDENTITY_DIGITS 16u

struct tv_saved_source tv_index_job_source(const char *raw_hash, const char *mappings)
{
    struct tv_saved_source source = {.identity = {0, 0}};
    for (size_t i = 0; i < 2; i++)
        (void)tv_str_to_u64((struct tv_str){raw_hash + i * IDENTITY_DIGITS, IDENTITY_DIGITS}, 16,
                            &source.identity[i]);
    if (mappings[0])
        source.names = tv_checksum(mappings, strlen(mappings)) | 1;
    return source;
}

/* --- what is said of names --- */

const char *const tv_names_ways[] = {[TV_CHOICE_NONE] = "none",
                                     [TV_CHOICE_TIE] = "tie",
                                     [TV_CHOICE_BY_ID] = "id",
                                     [TV_CHOICE_BY_NAMES] = "names"};
#define FAILED "failed"

/* Takes the number that a word of the text is. */
static bool take_number(struct tv_str *rest, uint64_t *number)
{
    struct tv_str word;
    return tv_str_split(rest, ' ', &word) && tv_str_to_u64(word, 10, number);
}

/* What the child said, TV_INDEX_CHILD_NAMES. It is not believed further than it can be checked: the
 * counts are shown as they are, and concern this trace alone. */
static void tell_names(const struct tv_index_job_files *files, const char *said,
                       char names[TV_STORE_REASON_MOST + 1])
{
    struct tv_str rest = tv_str_from(said);
    uint64_t by, chosen, renamed, asked, known;
    names[0] = '\0';
    if (!files->mapping_count || !take_number(&rest, &by) || by >= TV_COUNT_OF(tv_names_ways) ||
        !take_number(&rest, &chosen) || chosen >= files->mapping_count ||
        !take_number(&rest, &renamed) || !take_number(&rest, &asked) ||
        !take_number(&rest, &known) || known > asked)
        return;
    const bool is_taken = by > TV_CHOICE_TIE;
    const char *file = files->mappings + chosen * sizeof(struct tv_hash);
    (void)snprintf(names, TV_STORE_REASON_MOST + 1, "%s %.*s %" PRIu64 " %" PRIu64 " %" PRIu64,
                   tv_names_ways[by], is_taken ? (int)sizeof(struct tv_hash) - 1 : 1,
                   is_taken ? file : "-", renamed, asked, known);
}

bool tv_names_told_read(const char *reason, struct tv_names_told *told)
{
    struct tv_str rest = tv_str_from(reason);
    struct tv_str way, file;
    *told = (struct tv_names_told){.is_failed = strcmp(reason, FAILED) == 0};
    if (told->is_failed)
        return true;
    if (!tv_str_split(&rest, ' ', &way) || !tv_str_split(&rest, ' ', &file) ||
        !take_number(&rest, &told->renamed) || !take_number(&rest, &told->asked) ||
        !take_number(&rest, &told->known))
        return false;
    if (file.len == sizeof(told->file) - 1)
        memcpy(told->file.hex, file.at, file.len);
    for (size_t i = 0; i < TV_COUNT_OF(tv_names_ways); i++) {
        if (tv_str_equal(way, tv_str_from(tv_names_ways[i]))) {
            told->by = (enum tv_choice_by)i;
            return true;
        }
    }
    return false;
}

static enum tv_code run_child(const struct tv_index_job *job, const struct tv_saved_source *source,
                              const struct tv_index_job_files *files, int draft,
                              enum tv_sandboxed_end *end, struct tv_error *err)
{
    const struct tv_index_child told = {.identity = {source->identity[0], source->identity[1]},
                                        .unpacked_most = job->memory,
                                        .thread_count = job->thread_count,
                                        .mapping_count = (unsigned)files->mapping_count,
                                        .names = source->names};
    struct tv_index_child_words words;
    tv_index_child_words(&words, &told);
    const struct tv_sandboxed_child child = {.words = words.words,
                                             .in_fd = files->raw,
                                             .out_fd = draft,
                                             .more_fds = files->mapping_fds,
                                             .more_count = files->mapping_count,
                                             .limits = {.memory = job->memory,
                                                        .file_len = job->index_most,
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
    struct tv_index_job_made *made;
    struct tv_error *err;
    enum tv_code code;
};

/* The first id of a mapping that a method has; methods of one build have one. */
static void find_map_id(const struct tv_index *index, char map_id[TV_STORE_MAP_ID_MOST + 1])
{
    struct tv_str id;
    for (size_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        if (!tv_map_id_of((struct tv_str){index->text + method->file_off, method->file_len}, &id) ||
            id.len > TV_STORE_MAP_ID_MOST)
            continue;
        memcpy(map_id, id.at, id.len);
        map_id[id.len] = '\0';
        return;
    }
}

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
    if (checking->code != TV_OK)
        return;
    find_map_id(&index, checking->made->map_id);
    /* Without them the trace is shown all the same. */
    (void)tv_trace_figures_find(&checking->made->figures, &index, job->alloc, NULL);
}

/* TV_ERR_FORMAT: the index is not what an honest child writes. */
static enum tv_code check_index(const struct tv_index_job *job,
                                const struct tv_saved_source *source, int draft,
                                struct tv_index_job_made *made, struct tv_error *err)
{
    struct checking checking = {.job = job, .source = source, .made = made, .err = err};
    uint64_t len = tv_file_len_of(draft);
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
enum tv_index_job_end tv_index_job_run(const struct tv_index_job *job,
                                       const struct tv_index_job_files *files, int draft,
                                       struct tv_index_job_made *made, struct tv_error *err)
{
    const struct tv_saved_source source = tv_index_job_source(files->raw_hash, files->mappings);
    *made = (struct tv_index_job_made){.map_id = ""};
    struct tv_error reason = {.code = TV_OK};
    enum tv_sandboxed_end end;
    if (run_child(job, &source, files, draft, &end, err) != TV_OK)
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
    enum tv_code code = check_index(job, &source, draft, made, &reason);
    if (code == TV_OK) {
        tell_names(files, err->text, made->names);
        if (files->mappings[0] && !files->mapping_count)
            (void)snprintf(made->names, sizeof(made->names), FAILED);
        return TV_INDEX_JOB_DONE;
    }
    if (code != TV_ERR_FORMAT) {
        *err = reason;
        return TV_INDEX_JOB_UNABLE;
    }
    (void)tv_fail(err, reason.code, TV_NO_OFFSET, "reading it gave an index that cannot be: %s",
                  reason.text);
    return TV_INDEX_JOB_FAILED;
}
