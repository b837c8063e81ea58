/* Names of a trace for completion: threads, processes, methods and packages, from its saved index
 * alone. */
#ifndef TV_CLI_COMMAND_COMPLETE_NAMES_H
#define TV_CLI_COMMAND_COMPLETE_NAMES_H

#include "base/str.h"
#include "cli/cli.h"
#include "cli/options.h"

struct tv_names_wanted {
    const struct tv_cli *cli;
    const char *file; /* as it was typed; NULL: no file, so no names */
    /* What is typed of the names that methods have: --mapping and the like. Of what is remembered,
     * or named by a variable, no option says anything. */
    struct tv_shared_options shared;
    struct tv_str before; /* what stands before each name on the line: "--thread=" */
    struct tv_str typed;  /* how the names begin */
};

enum tv_names_kind { TV_NAMES_OF_METHODS, TV_NAMES_OF_PACKAGES };

/* Print the names of threads, or of the processes that have some, one a line. Nothing is printed
 * where no index is saved. */
void tv_complete_threads(const struct tv_names_wanted *wanted);
void tv_complete_processes(const struct tv_names_wanted *wanted);
/*
 * Prints names as far as they differ: "java.lang." stands for all that begins so. A name that
 * begins at a class or a method, "String.charAt" or "charAt", is printed where no whole name begins
 * as typed.
 */
void tv_complete_methods(const struct tv_names_wanted *wanted, enum tv_names_kind kind);

#endif
