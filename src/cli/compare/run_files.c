/*
 * Files of runs; see cli/compare/run_files.h. Names of a folder's traces begin with a date or end
 * with a number, so their order is that of time; which of too many are taken is told by the clock
 * of the file system.
 */
#include "cli/compare/run_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory/sort.h"
#include "compare/benchmark.h"
#include "os/file/newest_files.h"
#include "os/file/paths.h"

void tv_run_files_init(struct tv_run_files *files, const struct tv_cli *cli)
{
    *files = (struct tv_run_files){.cli = cli};
    tv_arena_init(&files->paths, cli->alloc);
}

void tv_run_files_release(struct tv_run_files *files)
{
    tv_alloc_release(files->cli->alloc, &files->of, files->cap, sizeof(*files->of));
    tv_arena_release(&files->paths);
    tv_run_files_init(files, files->cli);
}

static enum tv_code add_path(struct tv_run_files *files, const char *path, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(files->cli->alloc, &files->of, &files->cap, files->count + 1,
                         sizeof(*files->of), err));
    files->of[files->count++] = path;
    return TV_OK;
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_newest_file *of = ctx;
    return tv_trace_names_compare(tv_str_from(of[a].name), tv_str_from(of[b].name));
}

/* The newest first; of one time those whose names are the last: a checkout gives all files one. */
static int compare_newest(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_newest_file *of = ctx;
    if (of[a].changed_ns != of[b].changed_ns)
        return of[a].changed_ns > of[b].changed_ns ? -1 : 1;
    return -compare_names(ctx, a, b);
}

/* Chooses the traces among the files of a folder. */
static enum tv_code choose(const struct tv_run_files *files, const char *folder,
                           const struct tv_newest_files *found, uint32_t order[TV_RUN_FOLDER_MOST],
                           size_t *chosen, struct tv_error *err)
{
    uint32_t all[TV_NEWEST_MOST];
    size_t traces = 0;
    const bool is_counted = !found->is_cut && found->seen <= found->count;
    for (size_t i = 0; i < found->count; i++) {
        if (!tv_is_trace_name(tv_str_from(found->of[i].name)))
            continue;
        all[traces++] = (uint32_t)i;
    }
    TV_TRY(tv_sort(files->cli->alloc, all, traces, compare_newest, found->of, err));
    const size_t count = traces < TV_RUN_FOLDER_MOST ? traces : TV_RUN_FOLDER_MOST;
    memcpy(order, all, count * sizeof(*order));
    if (is_counted && traces > count)
        tv_cli_note(files->cli, folder,
                    "of its %zu traces the newest %zu are looked at, by when they were changed",
                    traces, count);
    else if (!is_counted)
        tv_cli_note(
            files->cli, folder,
            "has more files: its newest %zu traces are looked at, by when they were changed",
            count);
    *chosen = count;
    return TV_OK;
}

void tv_run_copy_tell(const struct tv_cli *cli, const char *folder, const char *copy,
                      const char *of)
{
    tv_cli_note(cli, folder, "%s is left out: it is a packed copy of %s by its name", copy, of);
}

/* Leaves a recording out of which another file is chosen, too. */
static size_t leave_out_copies(const struct tv_run_files *files, const char *folder,
                               const struct tv_newest_files *found,
                               uint32_t order[TV_RUN_FOLDER_MOST], size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tv_str name = tv_str_from(found->of[order[i]].name);
        const char *first = NULL;
        for (size_t k = 0; !first && k < kept; k++) {
            const char *before = found->of[order[k]].name;
            if (tv_str_equal(tv_trace_stem(tv_str_from(before)), tv_trace_stem(name)))
                first = before;
        }
        if (first)
            tv_run_copy_tell(files->cli, folder, found->of[order[i]].name, first);
        else
            order[kept++] = order[i];
    }
    return kept;
}

static enum tv_code add_found(struct tv_run_files *files, const char *folder,
                              const struct tv_newest_files *found, struct tv_error *err)
{
    uint32_t order[TV_RUN_FOLDER_MOST];
    size_t count;
    TV_TRY(choose(files, folder, found, order, &count, err));
    if (!count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: has no trace", folder);
    TV_TRY(tv_sort(files->cli->alloc, order, count, compare_names, found->of, err));
    count = leave_out_copies(files, folder, found, order, count);
    for (size_t i = 0; i < count; i++) {
        char *path;
        TV_TRY(tv_arena_take(&files->paths, TV_PATH_CAP, &path, err));
        int len = snprintf(path, TV_PATH_CAP, "%s/%s", folder, found->of[order[i]].name);
        if (len < 0 || (size_t)len >= TV_PATH_CAP)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s: too long a name", folder);
        TV_TRY(add_path(files, path, err));
    }
    return TV_OK;
}

enum tv_code tv_run_files_add(struct tv_run_files *files, const char *word, struct tv_error *err)
{
    struct stat status;
    struct tv_newest_files *found;
    if (stat(word, &status) != 0 || !S_ISDIR(status.st_mode))
        return add_path(files, word, err);
    TV_TRY(tv_alloc_new(files->cli->alloc, &found, 1, sizeof(*found), err));
    enum tv_code code = tv_newest_files_find(found, word, err);
    if (code == TV_OK)
        code = add_found(files, word, found, err);
    tv_alloc_release(files->cli->alloc, &found, 1, sizeof(*found));
    return code;
}

enum tv_code tv_run_files_add_sides(struct tv_run_files *files, const char *const *words,
                                    const struct tv_word_list options[TV_SIDE_COUNT],
                                    size_t *old_count, struct tv_error *err)
{
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        *old_count = side == TV_SIDE_NEW ? files->count : 0;
        if (words)
            TV_TRY(tv_run_files_add(files, words[side], err));
        for (size_t i = 0; i < options[side].count; i++)
            TV_TRY(tv_run_files_add(files, options[side].of[i], err));
    }
    return TV_OK;
}
