/*
 * index: the saved index of a trace, without a viewer.
 *
 * The viewer saves an index by itself; this verb is for machines that prepare traces before
 * somebody looks, and for finding out whether a saved index is damaged. The path of the saved file
 * is the answer, so that scripts can copy or delete it.
 */
#include <stdio.h>

#include "base/error.h"
#include "cli/file/index_cache.h"
#include "cli/file/load.h"
#include "cli/verb.h"
#include "cli/warnings.h"

struct index_options {
    bool check;
};

/* Saves the index unless it is saved already, of a small trace too. */
static enum tv_code save(const struct tv_cli *cli, const char *name, struct tv_index_cache *cached,
                         struct tv_error *err)
{
    bool was_saved;
    struct tv_index index;
    tv_index_init(&index);
    enum tv_code code = tv_load(cli, name, cached, &index, &was_saved, err);
    if (code == TV_OK)
        tv_warn_of_trace(cli, name, &index);
    if (code == TV_OK && !was_saved)
        code = tv_index_cache_save(cached, name, &index, TV_SAVE_ASKED, NULL, err);
    tv_index_release(&index);
    return code;
}

/* --check reads every sum of the file, which opening it does not do. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct index_options *options = values;
    const char *name = arguments->of[0];
    struct tv_error err = {.code = TV_OK};
    struct tv_index_cache cached;
    char path[TV_PATH_CAP];
    enum tv_code code = options->check ? tv_index_cache_check(&cached, cli, name, &err)
                                       : save(cli, name, &cached, &err);
    if (code == TV_OK)
        code = tv_index_cache_path(&cached, path, &err);
    if (code != TV_OK)
        return tv_cli_fail(cli, name, &err);
    (void)fprintf(cli->out, "%s%s\n", path, options->check ? ": every sum is right" : "");
    return TV_STATUS_FINE;
}

static const struct tv_option options[] = {
    {.name = "check",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct index_options, check),
     .help = "check every number of the saved index instead; save nothing"},
};

const struct tv_verb tv_verb_index = {
    .name = "index",
    .summary = "save the index in the cache, so that FILE opens at once later",
    .arguments = "FILE",
    .argument_count = 1,
    .saves_index = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct index_options),
    .notes = "Prints the path of the saved index. The viewer saves the index of a large trace by "
             "itself.",
    .examples = {{"traceview index huge.trace.zst", "the path of the index, which is saved now"},
                 {"traceview index --check huge.trace.zst",
                  "whether every number of the saved index is right"}},
    .run = run,
};
