/*
 * The traces of a run of continuous integration, and of the last run, by benchmark: of JSON that
 * AndroidX has written beside them, else of their names (compare/benchmark.h).
 */
#ifndef TV_CLI_CI_CI_FILES_H
#define TV_CLI_CI_CI_FILES_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "cli/cli.h"
#include "compare/change.h"

/* The most benchmarks, and the most traces of each on a side. */
#define TV_CI_BENCHMARKS_MOST 1000u
#define TV_CI_RUNS_MOST 40u

struct tv_ci_benchmark {
    struct tv_str name;
    const char **files[TV_SIDE_COUNT]; /* paths */
    size_t counts[TV_SIDE_COUNT];      /* of the old side 0: the last run had it not */
    const char **left_out;             /* of the old side, as not to be compared with */
    size_t left_out_count;
};

/* Texts are in the arena. */
struct tv_ci_files {
    const struct tv_cli *cli;
    struct tv_arena texts;
    struct tv_ci_benchmark *of; /* by name; those that the last run alone had, too */
    size_t count, cap;
    const char *folder; /* the folder that was read last: a failure is about it */
};

void tv_ci_files_init(struct tv_ci_files *files, const struct tv_cli *cli);
void tv_ci_files_release(struct tv_ci_files *files);
/* Finds the traces of both folders; `old_folder` NULL: there is no last run. JSON that cannot be
 * read is reported, and its traces get their benchmarks by their names. */
enum tv_code tv_ci_files_find(struct tv_ci_files *files, const char *old_folder,
                              const char *new_folder, struct tv_error *err) TV_MUST_CHECK;

#endif
