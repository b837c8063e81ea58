/* Files that verbs write: all of it under its name, or nothing. */
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
 * "-" is standard output. A device or a pipe is written as it is. Otherwise a new file beside
 * `path`, or beside what the link of this name leads to, which takes its name at the end.
 */
struct tv_output {
    const char *path;
    FILE *file;
    char place[TV_PATH_CAP];     /* where it is in the end */
    char temporary[TV_PATH_CAP]; /* "" for what is written as it is */
    bool is_nameless;            /* it gets the temporary name when it is whole */
};

enum tv_code tv_output_open(struct tv_output *output, const struct tv_cli *cli, const char *path,
                            struct tv_error *err) TV_MUST_CHECK;
struct tv_sink tv_output_sink(struct tv_output *output);
/* With code TV_OK flushes and gives the file its name; else removes it. Returns the first failure.
 */
enum tv_code tv_output_close(struct tv_output *output, enum tv_code code,
                             struct tv_error *err) TV_MUST_CHECK;
/* A sink onto an open stream. */
struct tv_sink tv_stream_sink(FILE *stream);

#endif
