/*
 * Opening and indexing for the verbs; see cli/file/load.h. An index comes from the user's cache
 * where a saved one fits the file, else the trace is read. The trace itself is closed before the
 * verb runs: a finished index needs nothing of it.
 *
 * Bytes of a trace may be hostile, so the functions that read them (read_tables(), read_records())
 * run in a Landlock domain that has no right to open files (os/sandbox/landlock.h). Files are
 * opened before, outside of the domain. A file that became shorter while it was read shows in
 * tv_opened_check(), whatever the reader said.
 *
 * Every verb but the viewer gets its index here. A saved index is taken where there is one; else
 * the trace is opened, read inside a Landlock domain, and the index is built. Saving it is left to
 * the verbs that want it.
 */
#include "cli/file/load.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/file/index_cache.h"
#include "cli/file/renamed.h"
#include "cli/terminal/progress.h"
#include "cli/warnings.h"
#include "os/file/paths.h"
#include "os/sandbox/landlock.h"

void tv_opened_init(struct tv_opened *opened, const struct tv_alloc *alloc)
{
    tv_file_init(&opened->file, alloc);
    tv_file_init(&opened->side, alloc);
    tv_trace_init(&opened->trace, alloc);
}

void tv_opened_release(struct tv_opened *opened)
{
    tv_trace_release(&opened->trace);
    tv_file_release(&opened->side);
    tv_file_release(&opened->file);
}

bool tv_side_path(char path[TV_PATH_CAP], const char *name)
{
    int len = snprintf(path, TV_PATH_CAP, "%s.sec", name);
    return len > 0 && len < TV_PATH_CAP;
}

/* Longer tables are of no program. They are told apart from others only when they are read, and
 * reading them cannot be cancelled. */
#define SIDE_MOST ((uint64_t)256 << 20)

/* Opens the tables beside a stream, if there are any. A stream opens without them, too, but then
 * its threads and methods have no names; so a failure here is none, other than that the user
 * cancelled. */
static enum tv_code open_side(struct tv_opened *opened, const char *name,
                              const struct tv_file_opts *opts, struct tv_error *err)
{
    struct tv_file_opts beside = *opts;
    char path[TV_PATH_CAP];
    bool is_stream = opened->file.len > 6 && memcmp(opened->file.bytes, "SLOW", 4) == 0;
    if (!is_stream || strcmp(name, "-") == 0 || !tv_side_path(path, name))
        return TV_OK;
    beside.only_regular = true;
    beside.most_len = SIDE_MOST;
    beside.unpack.most_len = SIDE_MOST;
    enum tv_code code = tv_file_open_alone(&opened->side, path, &beside, err);
    return code == TV_ERR_CANCELLED ? code : TV_OK;
}

/* What one function of a reader takes and gives, for the thread in the Landlock domain that calls
 * it. */
struct reading {
    const struct tv_cli *cli;
    struct tv_opened *opened;
    const struct tv_read_opts *read_opts;
    struct tv_index *index;
    const struct tv_build_opts *build_opts;
    struct tv_error *err;
    enum tv_code code;
    struct tv_mapping_choice choice;
};

static void read_tables(void *ctx)
{
    struct reading *reading = ctx;
    const struct tv_file *file = &reading->opened->file;
    reading->code = tv_trace_open(&reading->opened->trace, file->bytes, file->len,
                                  reading->read_opts, reading->err);
}

/* Runs on the thread in the Landlock domain; what it needs and what it found stand in one struct.
 */
static void read_records(void *ctx)
{
    struct reading *reading = ctx;
    struct tv_renamed renamed;
    struct tv_trace *trace = &reading->opened->trace;
    enum tv_code code = tv_renamed_begin(&renamed, reading->cli, trace, reading->err);
    if (code == TV_OK)
        code = tv_index_build(reading->index, trace, reading->build_opts, reading->err);
    reading->code = tv_renamed_end(&renamed, code, &reading->choice, reading->err);
}

static enum tv_code read_in_landlock(void (*body)(void *ctx), struct reading *reading)
{
    const struct tv_landlock domain = tv_landlock_for_readers();
    (void)tv_landlock_run(&domain, body, reading);
    return reading->code;
}

enum tv_code tv_opened_open(struct tv_opened *opened, const char *name,
                            const struct tv_open_opts *opts, struct tv_error *err)
{
    struct tv_file_opts file_opts = {.only_regular = false};
    if (opts)
        file_opts = (struct tv_file_opts){.unpack = {.progress = opts->tell,
                                                     .progress_ctx = opts->ctx,
                                                     .is_trusted = opts->unpacks_all},
                                          .only_regular = opts->only_regular};
    TV_TRY(tv_file_open(&opened->file, name, &file_opts, err));
    TV_TRY(open_side(opened, name, &file_opts, err));
    struct tv_read_opts read_opts = {
        .side_text = {(const char *)opened->side.bytes, opened->side.len},
        .is_packed_cut = opened->file.is_cut,
        .packed_len = opened->file.packed_len,
        .is_trusted = opts && opts->unpacks_all};
    struct reading reading = {.opened = opened, .read_opts = &read_opts, .err = err};
    enum tv_code code = read_in_landlock(read_tables, &reading);
    return code == TV_OK ? TV_OK : tv_opened_check(opened, code, err);
}

enum tv_code tv_opened_check(const struct tv_opened *opened, enum tv_code code,
                             struct tv_error *err)
{
    code = tv_file_check(&opened->side, code, err);
    return tv_file_check(&opened->file, code, err);
}

/* Opens the trace and indexes it. */
static enum tv_code build_index(const struct tv_cli *cli, const char *name,
                                struct tv_progress *shown, struct tv_opened *opened,
                                struct tv_index *index, struct tv_mapping_choice *choice,
                                struct tv_error *err)
{
    const struct tv_open_opts open_opts = {
        .tell = tv_progress_tell, .ctx = shown, .unpacks_all = cli->shared.unpack_all};
    tv_progress_unpacking(shown);
    TV_TRY(tv_opened_open(opened, name, &open_opts, err));
    const struct tv_build_opts opts = {
        .pool = cli->pool, .progress = tv_progress_tell, .progress_ctx = shown};
    tv_progress_reading(shown);
    struct reading reading = {
        .cli = cli, .opened = opened, .index = index, .build_opts = &opts, .err = err};
    enum tv_code code = read_in_landlock(read_records, &reading);
    *choice = reading.choice;
    return tv_opened_check(opened, code, err);
}

/* The opened file stays with the caller on failure: `flame` then looks whether it is something else
 * than a trace. */
enum tv_code tv_load_or_open(const struct tv_cli *cli, const char *name,
                             struct tv_index_cache *cached, struct tv_opened *opened,
                             struct tv_index *index, bool *was_saved, struct tv_error *err)
{
    struct tv_progress shown;
    struct tv_mapping_choice choice;
    *was_saved = tv_index_cache_find(cached, cli, name, index);
    if (*was_saved) {
        tv_renamed_tell(cli, name, cached->way, NULL);
        return TV_OK;
    }
    tv_progress_init(&shown, cli, name);
    enum tv_code code = build_index(cli, name, &shown, opened, index, &choice, err);
    tv_progress_clear(&shown);
    if (code == TV_OK) {
        tv_index_cache_set_way(cached, tv_renamed_way(cli, &choice));
        tv_renamed_tell(cli, name, cached->way, &choice);
    }
    return code;
}

/* For callers that want an index or a failure, and nothing of the file. */
enum tv_code tv_load(const struct tv_cli *cli, const char *name, struct tv_index_cache *cached,
                     struct tv_index *index, bool *was_saved, struct tv_error *err)
{
    struct tv_opened opened;
    tv_opened_init(&opened, cli->alloc);
    enum tv_code code = tv_load_or_open(cli, name, cached, &opened, index, was_saved, err);
    tv_opened_release(&opened);
    return code;
}

/* Prints its own failure, so that a verb only passes the status on. */
int tv_load_named(const struct tv_cli *cli, const char *name, enum tv_warnings warnings,
                  struct tv_index *index, const char **named_by)
{
    struct tv_error err = {.code = TV_OK};
    bool was_saved;
    struct tv_index_cache cached;
    enum tv_code code = tv_load(cli, name, &cached, index, &was_saved, &err);
    if (code != TV_OK)
        return tv_cli_fail(cli, name, &err);
    *named_by = tv_renamed_name(cli, cached.way);
    if (warnings == TV_WARNINGS_TOLD)
        tv_warn_of_trace(cli, name, index);
    return TV_STATUS_FINE;
}

int tv_load_for_verb(const struct tv_cli *cli, const char *name, enum tv_warnings warnings,
                     struct tv_index *index)
{
    const char *named_by;
    return tv_load_named(cli, name, warnings, index, &named_by);
}

struct tv_str tv_file_label(const char *name)
{
    const char *slash = strrchr(name, '/');
    return tv_str_from(slash && slash[1] ? slash + 1 : name);
}
