/*
 * The files of the runs of a side: as they are named, and where a folder is named its traces, in
 * the order of their names.
 */
#ifndef TV_CLI_COMPARE_RUN_FILES_H
#define TV_CLI_COMPARE_RUN_FILES_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "compare/side.h"

/* Options of verbs that compare: the runs of both sides, in the field `sides` of their values. */
#define TV_SIDE_OPTIONS(type)                                                                      \
    {.name = "old",                                                                                \
     .kind = TV_OPTION_WORDS,                                                                      \
     .field = offsetof(type, sides[TV_SIDE_OLD]),                                                  \
     .argument = "FILE...",                                                                        \
     .help = "recordings of the old side, or a folder of them, up to the next option"},            \
    {                                                                                              \
        .name = "new", .kind = TV_OPTION_WORDS, .field = offsetof(type, sides[TV_SIDE_NEW]),       \
        .argument = "FILE...", .help = "recordings of the new side"                                \
    }

/* The most traces that are taken from a folder: the newest ones. */
#define TV_RUN_FOLDER_MOST 100u

struct tv_run_files {
    const struct tv_cli *cli;
    struct tv_arena paths; /* of what stands in folders */
    const char **of;       /* paths, borrowed where they were named */
    size_t count, cap;
};

void tv_run_files_init(struct tv_run_files *files, const struct tv_cli *cli);
void tv_run_files_release(struct tv_run_files *files);
/* Tells that a file of a folder is no run of its own, since another one has its stem
 * (tv_trace_stem): a packed copy would make times look the same in both. */
void tv_run_copy_tell(const struct tv_cli *cli, const char *folder, const char *copy,
                      const char *of);
/* Adds a file, or the traces of a folder, and notes where the folder has more than are taken.
 * `word` must outlive the files. TV_ERR_NOT_FOUND: the folder has no trace; TV_ERR_SYSTEM: it
 * cannot be read. That a file cannot be read is told by whoever opens it. */
enum tv_code tv_run_files_add(struct tv_run_files *files, const char *word,
                              struct tv_error *err) TV_MUST_CHECK;
/* Adds the runs of both sides, the old ones first: of each the word of an argument, unless `words`
 * is NULL, and those behind its option. */
enum tv_code tv_run_files_add_sides(struct tv_run_files *files, const char *const *words,
                                    const struct tv_word_list options[TV_SIDE_COUNT],
                                    size_t *old_count, struct tv_error *err) TV_MUST_CHECK;

#endif
