/* Files that verbs write: a name gets the whole file, or keeps what it had. */
#ifndef TV_CLI_OUTPUT_H
#define TV_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "cli/cli.h"
#include "os/paths.h"

/*
 * "-" is standard output. A device or a pipe is written as it is, but a terminal is refused.
 * Anything else becomes a new file beside `path`, or beside the file that a link of this name leads
 * to; the new file takes that name at the end.
 */
struct tv_output {
    const char *path;
    FILE *file;
    char place[TV_PATH_CAP];     /* the path of the file in the end */
    char temporary[TV_PATH_CAP]; /* its path until then; "": it is written as it is */
    bool is_nameless;            /* it gets even the temporary name only when it is whole */
};

enum tv_code tv_output_open(struct tv_output *output, const struct tv_cli *cli, const char *path,
                            struct tv_error *err) TV_MUST_CHECK;
struct tv_sink tv_output_sink(struct tv_output *output);
/* Flushes the file and gives it its name where `code` is TV_OK, else removes it. Returns the first
 * failure. */
enum tv_code tv_output_close(struct tv_output *output, enum tv_code code,
                             struct tv_error *err) TV_MUST_CHECK;
/* A sink onto an open stream. */
struct tv_sink tv_stream_sink(FILE *stream);

#endif
