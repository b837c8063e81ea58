/* The file into which the trace of an app comes. */
#ifndef TV_CLI_RECORD_RECORD_APP_FILE_H
#define TV_CLI_RECORD_RECORD_APP_FILE_H

#include "base/compiler.h"
#include "base/error.h"
#include "os/file/paths.h"

#define TV_PROCESS_CAP 256u /* of the name of a package or process */

struct tv_app_file {
    /* PACKAGE-2026-11-22-221500.trace; the second of one second has -2 behind the time. */
    char name[TV_PROCESS_CAP + 64];
    char local[TV_PATH_CAP]; /* the file here, in the end: -o, or that name */
    char part[TV_PATH_CAP];  /* beside it, and nobody else's, until it is whole */
};

/*
 * Finds the names, and leaves an empty part, before anything is recorded: a trace that could not be
 * written here is better not recorded. A name of our own choice is only taken where neither a trace
 * nor the part of one has it. `output` is what -o names; NULL: nothing.
 */
enum tv_code tv_app_file_take(struct tv_app_file *file, const char *package, const char *output,
                              struct tv_error *err) TV_MUST_CHECK;
/* Gives up the part of a trace that did not come. What came of one is not empty, and stays. */
void tv_app_file_release(const struct tv_app_file *file);

#endif
