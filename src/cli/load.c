/* Opening and indexing for the verbs. */
#include "cli/load.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/health.h"
#include "cli/progress.h"
#include "os/paths.h"

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

/* The tables beside a stream, if there are any: without them it opens too. */
static void open_side(struct tv_opened *opened, const char *name)
{
    char path[TV_PATH_CAP];
    bool is_stream = opened->file.len > 6 && memcmp(opened->file.bytes, "SLOW", 4) == 0;
    int len = snprintf(path, sizeof(path), "%s.sec", name);
    if (!is_stream || strcmp(name, "-") == 0 || len < 0 || (size_t)len >= sizeof(path))
        return;
    if (tv_file_open_alone(&opened->side, path, NULL, NULL) != TV_OK)
        tv_file_release(&opened->side);
}

enum tv_code tv_opened_open(struct tv_opened *opened, const char *name,
                            const struct tv_load_progress *progress, struct tv_error *err)
{
    struct tv_inflate_opts opts = {.progress = progress ? progress->tell : NULL,
                                   .progress_ctx = progress ? progress->ctx : NULL};
    enum tv_code code = tv_file_open(&opened->file, name, &opts, err);
    if (code != TV_OK)
        return code;
    open_side(opened, name);
    struct tv_read_opts read_opts = {
        .side_text = {(const char *)opened->side.bytes, opened->side.len}};
    struct tv_error reason = {.code = TV_OK};
    code = tv_trace_open(&opened->trace, opened->file.bytes, opened->file.len, &read_opts, &reason);
    if (code == TV_OK)
        return TV_OK;
    if (opened->file.is_cut)
        return tv_fail(err, code, TV_NO_OFFSET, "the packed data ends early: %s", reason.text);
    if (err)
        *err = reason;
    return code;
}

enum tv_code tv_load_index(const struct tv_cli *cli, const char *name,
                           const struct tv_load_progress *progress, struct tv_index *index,
                           struct tv_load_result *result, struct tv_error *err)
{
    struct tv_opened opened;
    tv_opened_init(&opened, cli->alloc);
    enum tv_code code = tv_opened_open(&opened, name, progress, err);
    if (code == TV_OK) {
        struct tv_build_opts opts = {.pool = cli->pool,
                                     .progress = progress ? progress->tell : NULL,
                                     .progress_ctx = progress ? progress->ctx : NULL};
        code = tv_index_build(index, &opened.trace, &opts, err);
    }
    result->is_cut = opened.file.is_cut;
    tv_opened_release(&opened);
    return code;
}

int tv_load_for_verb(const struct tv_cli *cli, const char *name, enum tv_health health,
                     struct tv_index *index)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_load_result result = {.is_cut = false};
    struct tv_progress shown;
    tv_progress_init(&shown, cli, name, "reading");
    struct tv_load_progress progress = {.tell = tv_progress_tell, .ctx = &shown};
    enum tv_code code = tv_load_index(cli, name, &progress, index, &result, &err);
    tv_progress_end(&shown);
    if (code != TV_OK)
        return tv_cli_fail(cli, name, &err);
    if (result.is_cut)
        tv_health_tell_cut(cli, name);
    if (health == TV_HEALTH_TELL)
        tv_health_tell(cli, name, index);
    return TV_STATUS_FINE;
}

struct tv_str tv_file_label(const char *name)
{
    const char *slash = strrchr(name, '/');
    return tv_str_from(slash && slash[1] ? slash + 1 : name);
}
