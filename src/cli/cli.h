/*
 * What a verb gets from the program: memory, workers, and the streams it talks to.
 *
 * command.c makes one struct tv_cli and hands it down; nothing else in this folder knows the
 * program's own streams. stdout is for the answer and nothing else, stderr for messages to people.
 */
#ifndef TV_CLI_CLI_H
#define TV_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "cli/options.h"
#include "cli/terminal/terminal.h"

#define TV_STATUS_FINE 0
#define TV_STATUS_FAILED 1
#define TV_STATUS_MISUSED 2
#define TV_STATUS_BELOW 3 /* the trace is worse than asked for */

/* The mapping file of the command line (--mapping), or those of a folder (--mappings), of which
 * each trace gets the one that fits. */
struct tv_cli_mapping {
    const char *name; /* of the file, or of the folder; NULL: there is none */
    bool is_folder;
    bool is_remembered;         /* it is the folder of what the user asked to be remembered */
    bool is_of_page;            /* it was given to the viewer's page, and not on the command line */
    const struct tv_str *texts; /* of the files */
    const char *const *names;
    size_t count;
    /* Of a file: a checksum of its text and of whether it is forced. Of a folder: of what tells
     * that its files are others. 0: there is none. */
    uint64_t sum;
};

struct tv_cli {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    FILE *out;
    FILE *err;
    struct tv_terminal terminal; /* what the answer is written to */
    bool is_err_terminal;
    bool is_in_log;  /* of a job, which has commands (cli/terminal/log_commands.h) */
    bool uses_cache; /* false: saved indexes are neither looked for nor kept */
    struct tv_shared_options shared; /* options that many verbs have */
    struct tv_cli_mapping mapping;
    bool *has_told_of_out; /* the user was told that the answer did not get out */
    bool *lacks_memory;    /* is set where memory has run out; NULL: nobody asks */
    bool *is_other_build;  /* is set where the one mapping is of another build than a trace; NULL */
};

/* Prints "traceview: SUBJECT: text (offset N)" on stderr, names escaped; subject may be NULL.
 * Returns TV_STATUS_FAILED. */
int tv_cli_fail(const struct tv_cli *cli, const char *subject, const struct tv_error *err);
/* Prints "traceview: text" as misuse. Returns TV_STATUS_MISUSED. */
int tv_cli_misuse(const struct tv_cli *cli, const char *format, ...) TV_PRINTF(2, 3);
/* Prints "traceview: SUBJECT: text", for what the user should know although it is no failure. */
void tv_cli_note(const struct tv_cli *cli, const char *subject, const char *format, ...)
    TV_PRINTF(3, 4);
/* Prints lines that follow a message, each indented by its caller. */
void tv_cli_tell_lines(const struct tv_cli *cli, struct tv_str lines);
/* The status of a failure: misused for a bad argument, else failed. */
int tv_cli_status(enum tv_code code);
/* Writes the answer's bytes, on a terminal through a pager if they are longer than its screen; a
 * failure shows when the program ends and flushes. */
void tv_cli_answer(const struct tv_cli *cli, struct tv_str bytes);
/* Writes an answer for people: lines that are wider than their terminal are broken between words.
 */
void tv_cli_answer_text(const struct tv_cli *cli, struct tv_str text);

#endif
