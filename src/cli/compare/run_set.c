/*
 * Loading runs; see cli/compare/run_set.h. One run is loaded, taken and released before the next,
 * so that memory holds one index however many runs there are: what is to be kept must be copied by
 * the taker. A file that is named twice is refused, since it would count as two runs and make them
 * look stable; that another one is a copy of it is told, since it may be meant.
 */
#include "cli/compare/run_set.h"

#include <string.h>
#include <sys/stat.h>

#include "analysis/selection/names.h"
#include "base/names/source_names.h"
#include "cli/file/load.h"
#include "os/file/file.h"
#include "os/file/same_bytes.h"
#include "os/memory/mapping.h"

const char *const tv_run_kind_words[] = {
    [TV_TIME_INCLUSIVE] = "inclusive", [TV_TIME_EXCLUSIVE] = "exclusive", NULL};

enum tv_time_kind tv_run_kind(const char *asked)
{
    return asked ? (enum tv_time_kind)tv_choice_position(tv_run_kind_words, asked)
                 : TV_TIME_INCLUSIVE;
}

enum tv_code tv_run_clock(const struct tv_run_clocks *clocks, const char *asked,
                          enum tv_clock *clock, struct tv_error *err)
{
    enum tv_clock word = TV_CLOCK_WALL;
    if (asked)
        word = (enum tv_clock)tv_choice_position(tv_run_clock_words, asked);
    return tv_run_clocks_choose(clocks, asked ? &word : NULL, clock, err);
}

enum tv_code tv_run_method_find(struct tv_run_method *method, struct tv_asking *asking,
                                const char *asked, uint32_t *method_ix, struct tv_error *err)
{
    TV_TRY(tv_question_method(asking, asked, method_ix, err));
    return tv_run_method_check(method, asking->index, tv_str_from(asked), *method_ix, err);
}

/* Whether a method of a recording says which mapping it is of. */
static bool has_id(const struct tv_index *index)
{
    struct tv_str id;
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (tv_map_id_of(tv_method_file(index, i), &id))
            return true;
    }
    return false;
}

void tv_side_mappings_take(struct tv_side_mappings *mappings, const struct tv_asking *asking,
                           enum tv_side side)
{
    if (asking->named_by && tv_renamed_methods(asking->index) && !has_id(asking->index))
        mappings->of[side] = asking->named_by;
}

/* A mapping knows all names of an old build, too, where both builds use the same short ones, and
 * gives them to other methods. Traces that have an id of their mapping are named by no other. */
bool tv_side_mappings_tell(const struct tv_side_mappings *mappings, const struct tv_cli *cli,
                           const char *old_side)
{
    const char *name = mappings->of[TV_SIDE_OLD];
    if (!name || name != mappings->of[TV_SIDE_NEW])
        return false;
    if (!cli->mapping.is_folder)
        tv_cli_note(cli, name,
                    "names the methods of %s, too: where that is another build, --mappings FOLDER "
                    "takes for each trace the mapping that fits",
                    old_side);
    else
        tv_cli_note(cli, cli->mapping.name,
                    "its mapping %s names the methods of %s, too, which say no id of theirs: where "
                    "that is another build, methods are taken for others, unless its traces are "
                    "kept with their names, by 'export --to trace --mapping'",
                    name, old_side);
    return true;
}

/* Loads one run and gives it to the taker. The saved index is checked after that, since it may have
 * been shortened meanwhile. */
static int load_run(const struct tv_cli *cli, const char *file, size_t run,
                    const struct tv_run_taker *taker)
{
    struct tv_index index;
    struct tv_asking asking;
    struct tv_error err = {.code = TV_OK};
    tv_index_init(&index);
    const enum tv_warnings warnings = taker->is_quiet ? TV_WARNINGS_UNTOLD : TV_WARNINGS_TOLD;
    const char *named_by = NULL;
    int status = tv_load_named(cli, file, warnings, &index, &named_by);
    if (status == TV_STATUS_FINE) {
        tv_asking_init(&asking, cli, file, &index);
        asking.named_by = named_by;
        enum tv_code code = taker->take(taker->ctx, &asking, run, &err);
        if (code == TV_OK)
            code = tv_mapping_check(index.block, &err);
        if (code != TV_OK)
            status = tv_asking_fail(&asking, &err);
        tv_asking_release(&asking);
    }
    tv_index_release(&index);
    return status;
}

/* Whether two names are one file. What is no file is opened later, and told then. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a;
    struct stat of_b;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && tv_file_is_same(&of_a, &of_b);
}

bool tv_run_set_find_same(const char *const *files, size_t count, size_t *file, size_t *other)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!is_same_file(files[i], files[k]))
                continue;
            *file = i;
            *other = k;
            return true;
        }
    }
    return false;
}

int tv_run_set_check(const struct tv_cli *cli, const char *const *files, size_t count)
{
    size_t file, other;
    if (!tv_run_set_find_same(files, count, &file, &other))
        return TV_STATUS_FINE;
    return tv_cli_misuse(cli, "%s and %s are one file, and so one run", files[other], files[file]);
}

/* The file before files[i] that it is a copy of; SIZE_MAX: there is none. */
static size_t find_copied(const char *const *files, const uint64_t *lens, size_t i)
{
    for (size_t k = 0; lens[i] && k < i; k++) {
        if (lens[k] == lens[i] && tv_trace_is_copy(files[k], files[i]))
            return k;
    }
    return SIZE_MAX;
}

/* The first copy is named, and how many others there are. Where there is no memory, nothing is
 * told: loading ends by that. */
void tv_run_set_tell_copies(const struct tv_cli *cli, const char *const *files, size_t count)
{
    struct tv_error err;
    uint64_t *lens = NULL;
    size_t copies = 0;
    size_t first = 0;
    size_t of_first = 0;
    if (tv_alloc_new(cli->alloc, &lens, count, sizeof(*lens), &err) != TV_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        lens[i] = tv_trace_len(files[i]);
        const size_t copied = find_copied(files, lens, i);
        if (copied == SIZE_MAX)
            continue;
        if (!copies++) {
            first = i;
            of_first = copied;
        }
    }
    tv_alloc_release(cli->alloc, &lens, count, sizeof(*lens));
    if (copies == 1)
        tv_cli_note(cli, files[first],
                    "has the same bytes as %s: they are one recording, and count as two",
                    files[of_first]);
    else if (copies)
        tv_cli_note(cli, files[first],
                    "has the same bytes as %s, and is the first of %zu such copies: each counts as "
                    "a recording of its own",
                    files[of_first], copies);
}

/* All names are compared before the first file is read. */
int tv_run_set_load(const struct tv_cli *cli, const char *const *files, size_t count,
                    const struct tv_run_taker *taker)
{
    int status = tv_run_set_check(cli, files, count);
    for (size_t i = 0; i < count && status == TV_STATUS_FINE; i++)
        status = load_run(taker->old_cli && i < taker->old_count ? taker->old_cli : cli, files[i],
                          i, taker);
    return status;
}
