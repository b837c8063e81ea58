/*
 * Finding traces by benchmark; see cli/ci/ci_files.h. Both folders give one list of traces with the
 * names of their benchmarks, which is sorted and cut into benchmarks.
 */
#include "cli/ci/ci_files.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/buffer.h"
#include "base/memory/sort.h"
#include "base/memory/text_map.h"
#include "cli/compare/run_files.h"
#include "compare/benchmark.h"
#include "os/file/folder_tree.h"
#include "os/file/paths.h"

#define DATA_LEN_MOST ((size_t)16 << 20)

/* A trace that was found. */
struct found {
    struct tv_str benchmark;
    const char *path;
    enum tv_side side;
};

struct finding {
    struct tv_ci_files *files;
    struct found *of;
    size_t count, cap;
    /* While one folder is read. */
    struct tv_folder_tree tree;
    /* Where the folder of the other side stands in this one, with a slash; empty: nowhere. */
    char other_below[TV_PATH_CAP];
    struct tv_text_map name_of; /* path -> place of the name in `names` */
    struct tv_text_map places;  /* path without its ending -> place in `of` */
    struct tv_str *names;
    size_t name_count, name_cap;
};

void tv_ci_files_init(struct tv_ci_files *files, const struct tv_cli *cli)
{
    *files = (struct tv_ci_files){.cli = cli};
    tv_arena_init(&files->texts, cli->alloc);
}

void tv_ci_files_release(struct tv_ci_files *files)
{
    tv_alloc_release(files->cli->alloc, &files->of, files->cap, sizeof(*files->of));
    tv_arena_release(&files->texts);
    tv_ci_files_init(files, files->cli);
}

/* The text of three, in the arena, ended with NUL. */
static enum tv_code join(struct finding *finding, struct tv_str a, struct tv_str b, struct tv_str c,
                         struct tv_str *joined, struct tv_error *err)
{
    const struct tv_str parts[] = {a, b, c};
    char *text;
    TV_TRY(tv_arena_take(&finding->files->texts, a.len + b.len + c.len + 1, &text, err));
    *joined = (struct tv_str){text, 0};
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        if (parts[i].len)
            memcpy(text + joined->len, parts[i].at, parts[i].len);
        joined->len += parts[i].len;
    }
    return TV_OK;
}

/* What stands before the last part of a path, with the slash. */
static struct tv_str folder_of(struct tv_str path)
{
    while (path.len && path.at[path.len - 1] != '/')
        path.len--;
    return path;
}

/* The first JSON that names a trace decides. */
static enum tv_code name_trace(struct finding *finding, struct tv_str folder,
                               const struct tv_benchmark_trace *trace, struct tv_error *err)
{
    struct tv_str path;
    struct tv_str name;
    uint32_t *slot;
    const uint32_t place = (uint32_t)finding->name_count;
    TV_TRY(join(finding, folder, trace->file, TV_STR(""), &path, err));
    TV_TRY(tv_text_map_slot(&finding->name_of, path, place, &slot, err));
    if (*slot != place)
        return TV_OK;
    TV_TRY(join(finding, folder, trace->name, TV_STR(""), &name, err));
    TV_TRY(tv_alloc_grow(finding->files->cli->alloc, &finding->names, &finding->name_cap,
                         finding->name_count + 1, sizeof(*finding->names), err));
    finding->names[finding->name_count++] = name;
    return TV_OK;
}

static enum tv_code read_data(struct finding *finding, const char *path, struct tv_str relative,
                              struct tv_error *err)
{
    const struct tv_cli *cli = finding->files->cli;
    struct tv_benchmark_traces traces;
    struct tv_buffer json;
    struct tv_error why = {.code = TV_OK};
    tv_buffer_init(&json, cli->alloc);
    tv_benchmark_traces_init(&traces, cli->alloc);
    enum tv_code code = tv_file_read_small(path, DATA_LEN_MOST, &json, &why);
    if (code == TV_OK)
        code = tv_benchmark_traces_read(&traces, tv_buffer_view(&json), &why);
    if (code == TV_ERR_MEMORY) {
        *err = why;
    } else if (code != TV_OK) {
        tv_cli_note(cli, path, "%s: its traces are known by their names", why.text);
        code = TV_OK;
    }
    for (size_t i = 0; code == TV_OK && i < traces.count; i++) {
        if (traces.of[i].name.len)
            code = name_trace(finding, folder_of(relative), &traces.of[i], err);
    }
    tv_benchmark_traces_release(&traces);
    tv_buffer_release(&json);
    return code;
}

/* Whether a file of the same stem was added before: of a recording that lies there plain and packed
 * one file is a run. Paths come in order, so the first one is that of the plain file. */
static enum tv_code find_copied(struct finding *finding, struct tv_str relative, bool *is_copy,
                                struct tv_error *err)
{
    const uint32_t place = (uint32_t)finding->count;
    const char *path = relative.at; /* the tree's texts end with NUL */
    uint32_t *slot;
    TV_TRY(tv_text_map_slot(&finding->places, tv_trace_stem(relative), place, &slot, err));
    *is_copy = *slot != place;
    if (*is_copy)
        tv_run_copy_tell(finding->files->cli, finding->files->folder, path,
                         finding->of[*slot].path);
    return TV_OK;
}

static enum tv_code add_trace(struct finding *finding, struct tv_str relative, const char *path,
                              enum tv_side side, struct tv_error *err)
{
    const uint32_t place = tv_text_map_get(&finding->name_of, relative);
    bool is_copy;
    TV_TRY(find_copied(finding, relative, &is_copy, err));
    if (is_copy)
        return TV_OK;
    TV_TRY(tv_alloc_grow(finding->files->cli->alloc, &finding->of, &finding->cap,
                         finding->count + 1, sizeof(*finding->of), err));
    struct found *to = &finding->of[finding->count++];
    *to = (struct found){.path = path, .side = side};
    if (place != TV_MAP_NONE) {
        to->benchmark = finding->names[place];
        return TV_OK;
    }
    /* The tree's texts end with the folder. */
    return join(finding, tv_benchmark_of_path(relative), TV_STR(""), TV_STR(""), &to->benchmark,
                err);
}

/* Finds out whether the other side's folder stands in this one: what is there is of that side
 * alone, and no benchmark of this one. `other` NULL: there is none. */
static void find_other(struct finding *finding, const char *folder, const char *other)
{
    char outer[TV_PATH_CAP];
    char inner[TV_PATH_CAP];
    finding->other_below[0] = '\0';
    if (!other || !tv_path_real(outer, folder) || !tv_path_real(inner, other))
        return;
    const size_t len = strcmp(outer, "/") == 0 ? 0 : strlen(outer);
    if (strncmp(outer, inner, len) == 0 && inner[len] == '/' && inner[len + 1])
        (void)snprintf(finding->other_below, TV_PATH_CAP, "%.*s/", TV_PATH_CAP - 2,
                       inner + len + 1);
}

static bool is_of_other(const struct finding *finding, struct tv_str relative)
{
    return finding->other_below[0] &&
           tv_str_starts_with(relative, tv_str_from(finding->other_below));
}

/* JSON is read before any trace gets its name. */
static enum tv_code take_files(struct finding *finding, enum tv_side side, struct tv_error *err)
{
    const struct tv_str folder = tv_str_from(finding->files->folder);
    const bool has_slash = tv_str_ends_with(folder, TV_STR("/"));
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < finding->tree.count; i++) {
            const struct tv_str relative = tv_str_from(finding->tree.paths[i]);
            struct tv_str path;
            if (!(pass ? tv_is_trace_name(relative) : tv_is_benchmark_data(relative)) ||
                is_of_other(finding, relative))
                continue;
            TV_TRY(
                join(finding, folder, has_slash ? TV_STR("") : TV_STR("/"), relative, &path, err));
            TV_TRY(pass ? add_trace(finding, relative, path.at, side, err)
                        : read_data(finding, path.at, relative, err));
        }
    }
    return TV_OK;
}

static enum tv_code look_at(struct finding *finding, const char *folder, const char *other,
                            enum tv_side side, struct tv_error *err)
{
    find_other(finding, folder, other);
    const struct tv_alloc *alloc = finding->files->cli->alloc;
    finding->files->folder = folder;
    finding->names = NULL;
    finding->name_count = finding->name_cap = 0;
    tv_text_map_init(&finding->name_of, alloc);
    tv_text_map_init(&finding->places, alloc);
    tv_folder_tree_init(&finding->tree, alloc);
    enum tv_code code = tv_folder_tree_read(&finding->tree, folder, err);
    if (code == TV_OK && finding->tree.is_cut)
        tv_cli_note(finding->files->cli, folder, "has more files than are looked at");
    if (code == TV_OK)
        code = take_files(finding, side, err);
    tv_folder_tree_release(&finding->tree);
    tv_text_map_release(&finding->places);
    tv_text_map_release(&finding->name_of);
    tv_alloc_release(alloc, &finding->names, finding->name_cap, sizeof(*finding->names));
    return code;
}

/* By benchmark, then by side, then by path. */
static int compare_found(const void *ctx, uint32_t a, uint32_t b)
{
    const struct found *of = ctx;
    int order = tv_str_compare(of[a].benchmark, of[b].benchmark);
    if (!order && of[a].side != of[b].side)
        order = of[a].side < of[b].side ? -1 : 1;
    return order ? order : tv_trace_names_compare(tv_str_from(of[a].path), tv_str_from(of[b].path));
}

/* Takes the traces of a side of a benchmark; *i goes to the one behind them. */
static enum tv_code take_side(struct finding *finding, struct tv_ci_benchmark *benchmark,
                              enum tv_side side, size_t *i, struct tv_error *err)
{
    size_t end = *i;
    while (end < finding->count && finding->of[end].side == side &&
           tv_str_equal(finding->of[end].benchmark, benchmark->name))
        end++;
    const size_t all = end - *i;
    const size_t count = all < TV_CI_RUNS_MOST ? all : TV_CI_RUNS_MOST;
    TV_TRY(tv_arena_take(&finding->files->texts, (count + 1) * sizeof(*benchmark->files[side]),
                         &benchmark->files[side], err));
    /* The last names are the latest runs, where names have dates or numbers. */
    for (size_t k = 0; k < count; k++)
        benchmark->files[side][k] = finding->of[end - count + k].path;
    benchmark->counts[side] = count;
    *i = end;
    if (count < all)
        tv_cli_note(finding->files->cli, benchmark->files[side][0],
                    "%zu more traces of the same benchmark stand before this one, and are not "
                    "looked at",
                    all - count);
    return TV_OK;
}

static enum tv_code cut(struct finding *finding, struct tv_error *err)
{
    struct tv_ci_files *files = finding->files;
    TV_TRY(tv_sort_rows(files->cli->alloc, finding->of, finding->count, sizeof(*finding->of),
                        compare_found, finding->of, err));
    for (size_t i = 0; i < finding->count;) {
        TV_TRY(tv_alloc_grow(files->cli->alloc, &files->of, &files->cap, files->count + 1,
                             sizeof(*files->of), err));
        struct tv_ci_benchmark *benchmark = &files->of[files->count++];
        *benchmark = (struct tv_ci_benchmark){.name = finding->of[i].benchmark};
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            TV_TRY(take_side(finding, benchmark, (enum tv_side)side, &i, err));
    }
    return TV_OK;
}

enum tv_code tv_ci_files_find(struct tv_ci_files *files, const char *old_folder,
                              const char *new_folder, struct tv_error *err)
{
    struct finding finding = {.files = files};
    enum tv_code code =
        old_folder ? look_at(&finding, old_folder, new_folder, TV_SIDE_OLD, err) : TV_OK;
    if (code == TV_ERR_NOT_FOUND) /* the first run has no last one */
        code = TV_OK;
    if (code == TV_OK)
        code = look_at(&finding, new_folder, old_folder, TV_SIDE_NEW, err);
    if (code == TV_OK)
        code = cut(&finding, err);
    tv_alloc_release(files->cli->alloc, &finding.of, finding.cap, sizeof(*finding.of));
    return code;
}
