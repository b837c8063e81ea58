/*
 * The mapping files that a command line names: one (--mapping), or those of a folder (--mappings,
 * or the variable TRACEVIEW_MAPPINGS, else those that are remembered). They are opened once,
 * however many traces a verb reads, and before anybody reads a trace, since who reads one opens no
 * file.
 */
#ifndef TV_CLI_FILE_MAPPING_FILES_H
#define TV_CLI_FILE_MAPPING_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "os/file/file.h"
#include "os/file/newest_files.h"
#include "os/file/paths.h"

#define TV_MAPPINGS_VARIABLE "TRACEVIEW_MAPPINGS"

struct tv_mapping_files {
    const struct tv_alloc *alloc;
    struct tv_newest_files *found; /* NULL: no folder was read */
    struct tv_file *files;
    struct tv_str *texts;
    const char **names;
    size_t count, cap;
    char remembered[TV_PATH_CAP]; /* the folder, where no other is named */
};

/* How a mapping file is opened: a pipe is refused, since it cannot be read twice. What to do about
 * a folder depends on the verb. Only a file that the user named is trusted with --unpack-all. */
struct tv_file_opts tv_mapping_file_opts(bool is_trusted, const char *in_folder);
/* What tells an index with the names of a mapping from others; never 0. */
uint64_t tv_mapping_sum(struct tv_str text, bool is_forced);

void tv_mapping_files_init(struct tv_mapping_files *files, const struct tv_alloc *alloc);
void tv_mapping_files_release(struct tv_mapping_files *files);
/* Opens what cli->shared asks for, and makes it cli->mapping, which borrows from `files`. Reports
 * the files of a folder that are not taken, and failures. Returns a status. */
int tv_mapping_files_open(struct tv_mapping_files *files, struct tv_cli *cli);
/* The same for the traces of one side, whose mapping an option of its own names: *side becomes
 * `cli` with that mapping. NULL: it has that of the command line. */
int tv_mapping_files_open_side(struct tv_mapping_files *files, const struct tv_cli *cli,
                               const char *mapping, struct tv_cli *side);
/* The status of a verb that has run; a failure where another program changed a file meanwhile. */
int tv_mapping_files_check(const struct tv_mapping_files *files, const struct tv_cli *cli,
                           int status);

#endif
