/* Files that verbs write: a name gets the whole file, or keeps what it had. */
#ifndef TV_CLI_FILE_OUTPUT_H
#define TV_CLI_FILE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "cli/cli.h"
#include "cli/file/shown_output.h"
#include "os/file/compress.h"
#include "os/file/draft.h"

/* "-" is standard output. A device or a pipe is written directly. No trace is written to a
 * terminal, and in text for one, control characters are escaped. Anything else is a draft until it
 * is whole (os/file/draft.h). A name with .gz or .zst is compressed in that format. */
struct tv_output_file {
    const struct tv_cli *cli;
    const char *path;
    FILE *file;
    struct tv_draft draft;
    struct tv_compressor *pack; /* NULL: the bytes are not packed */
    bool is_terminal;
    struct tv_shown_output shown; /* on its way to a terminal */
};

/* What is written. Text is for terminals, too; the last is a format that is always packed: with
 * gzip, where the name asks for nothing else. */
enum tv_output_content { TV_OUTPUT_TRACE, TV_OUTPUT_TEXT, TV_OUTPUT_GZIP };

/* Whether writing to `path` would replace a file that is read: `input` is the name that it was
 * opened by, which may stand for NAME.trace, or for the two files of a pair. */
bool tv_output_replaces(const char *path, const char *input);
enum tv_code tv_output_open(struct tv_output_file *output, const struct tv_cli *cli,
                            const char *path, enum tv_output_content content,
                            struct tv_error *err) TV_MUST_CHECK;
/* Opens an output that is made of a file: a path that would replace `input` is refused. */
enum tv_code tv_output_open_beside(struct tv_output_file *output, const struct tv_cli *cli,
                                   const char *path, enum tv_output_content content,
                                   const char *input, struct tv_error *err) TV_MUST_CHECK;
struct tv_sink tv_output_sink(struct tv_output_file *output);
/* Flushes the file and gives it its name where `code` is TV_OK, else removes it. Returns the first
 * failure. */
enum tv_code tv_output_close(struct tv_output_file *output, enum tv_code code,
                             struct tv_error *err) TV_MUST_CHECK;
#endif
