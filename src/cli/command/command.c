/*
 * The command as a whole: finds the verb, parses its options, runs it, and makes sure that the
 * answer got out.
 *
 * A first word that is no verb is a file for the viewer, so that `traceview app.trace` opens it.
 * Called by the name dmtracedump, the program is that verb.
 * Options, help and completion all come from the verb's table (cli/verb.h). What the command needs
 * of the system is set up by cli/command/program.c.
 */
#include "cli/command/command.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/command/complete.h"
#include "cli/command/help.h"
#include "cli/command/hints.h"
#include "cli/file/mapping_files.h"
#include "cli/verb.h"
#include "os/memory/mapping.h"

/* Changes a verb's own copy of what it gets from the program as the user wishes. */
static void take_shared_options(struct tv_cli *cli, const struct tv_shared_options *shared)
{
    cli->shared = *shared;
    cli->uses_cache = cli->uses_cache && !shared->no_cache;
    if (shared->color && strcmp(shared->color, "always") == 0)
        cli->terminal.has_colour = true;
    else if (shared->color && strcmp(shared->color, "never") == 0)
        cli->terminal.has_colour = false;
}

/* A verb and what it is run with. */
struct verb_run {
    const struct tv_verb *verb;
    const struct tv_cli *cli;
    const void *values;
    const struct tv_arguments *arguments;
    int status;
};

static void call_verb(void *ctx)
{
    struct verb_run *run = ctx;
    run->status = run->verb->run(run->cli, run->values, run->arguments);
}

/* A saved index may become shorter while the verb reads it. */
static int run_to_end(struct verb_run *run)
{
    struct tv_error err;
    if (tv_mapping_run(call_verb, run, &err) == TV_OK)
        return run->status;
    bool is_of_one = run->arguments->count && !run->verb->repeats_last;
    return tv_cli_fail(run->cli, is_of_one ? run->arguments->of[0] : NULL, &err);
}

/* Has the mapping files open for as long as the verb runs. */
static int run_with_mappings(struct tv_cli *own, struct verb_run *run)
{
    struct tv_mapping_files files;
    tv_mapping_files_init(&files, own->alloc);
    int status = tv_mapping_files_open(&files, own);
    if (status == TV_STATUS_FINE)
        status = tv_mapping_files_check(&files, own, run_to_end(run));
    tv_mapping_files_release(&files);
    return status;
}

/* Parses the words into the verb's options struct, whose layout only the verb knows, and runs it.
 * `of` has room for the arguments. */
static int run_verb_with(const struct tv_cli *cli, const struct tv_verb *verb, char *const *words,
                         size_t word_count, const char **of)
{
    union {
        uint8_t bytes[TV_VERB_VALUES];
        uint64_t alignment;
        void *pointer_alignment;
    } values = {.bytes = {0}};
    struct tv_arguments arguments = {.of = of};
    struct tv_error err = {.code = TV_OK};
    if (verb->defaults)
        memcpy(values.bytes, verb->defaults, verb->values_len);
    struct tv_option_lists options = tv_verb_options(verb);
    enum tv_code code =
        tv_options_parse(&options, words, word_count, values.bytes, &arguments, &err);
    if (code != TV_OK && arguments.unknown)
        return tv_hint_option(cli, verb, words, word_count, arguments.unknown);
    if (code != TV_OK)
        return tv_cli_misuse(cli, "%s: %s", verb->name, err.text);
    if (arguments.has_help) {
        tv_help_verb(cli, verb);
        return TV_STATUS_FINE;
    }
    int status = tv_hint_arguments(cli, verb, words, word_count, &arguments);
    if (status != TV_STATUS_FINE)
        return status;
    struct tv_cli own = *cli;
    take_shared_options(&own, &arguments.shared);
    struct verb_run run = {
        .verb = verb, .cli = &own, .values = values.bytes, .arguments = &arguments};
    return verb->uses_index || verb->saves_index ? run_with_mappings(&own, &run) : run_to_end(&run);
}

/* Room for all words as arguments, since the parser does not know beforehand which of them are
 * options. */
static int run_verb(const struct tv_cli *cli, const struct tv_verb *verb, char *const *words,
                    size_t word_count)
{
    const char **of;
    struct tv_error err = {.code = TV_OK};
    if (tv_alloc_new(cli->alloc, &of, word_count, sizeof(*of), &err) != TV_OK)
        return tv_cli_fail(cli, NULL, &err);
    int status = run_verb_with(cli, verb, words, word_count, of);
    tv_alloc_release(cli->alloc, &of, word_count, sizeof(*of));
    return status;
}

/* `traceview help VERB` and `traceview VERB --help` are the same. */
static int run_help(const struct tv_cli *cli, char *const *words, size_t word_count)
{
    const struct tv_verb *verb = word_count > 1 ? tv_find_verb(words[1]) : NULL;
    if (verb)
        tv_help_verb(cli, verb);
    else if (word_count > 1)
        return tv_hint_help(cli, words[1]);
    else
        tv_help_program(cli);
    return TV_STATUS_FINE;
}

/* Does what the first word says: help, a verb, or else a file or an option for the viewer. Without
 * a word the viewer begins with its start page. */
static int dispatch(const struct tv_cli *cli, char *const *words, size_t word_count)
{
    if (!word_count)
        return run_verb(cli, &tv_verb_view, words, 0);
    const char *first = words[0];
    const struct tv_verb *verb = tv_find_verb(first);
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return run_help(cli, words, word_count);
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        tv_help_version(cli);
        return TV_STATUS_FINE;
    }
    if (strcmp(first, "--licenses") == 0) {
        tv_help_licenses(cli);
        return TV_STATUS_FINE;
    }
    if (strcmp(first, "--complete") == 0)
        return tv_complete(cli, words + 1, word_count - 1);
    if (verb)
        return run_verb(cli, verb, words + 1, word_count - 1);
    int status = tv_hint_first_word(cli, words, word_count);
    return status == TV_STATUS_FINE ? run_verb(cli, &tv_verb_view, words, word_count) : status;
}

/* Whether the program was called by the name of another one, whose options it takes then. */
static bool is_called(const char *path, const char *name)
{
    return strcmp(tv_file_name_of(path), name) == 0;
}

/* Why standard output takes no more. A failure amid a long answer was one of stdio, which keeps no
 * reason: it shows in the next byte, unless there is room again. */
static const char *reason_of_failure(FILE *out)
{
    clearerr(out);
    errno = 0;
    (void)fputc('\n', out);
    return fflush(out) == 0 ? "write error" : strerror(errno);
}

/* Flushes and closes the answer. An answer that did not get out whole is a failure, whatever the
 * verb said: a full disk shows only here, and only here a disk of the network may tell of it. */
static int finish(const struct tv_cli *cli, int status)
{
    const char *reason = ferror(cli->out) ? reason_of_failure(cli->out) : NULL;
    if (fclose(cli->out) != 0 && !reason)
        reason = strerror(errno);
    if (!reason)
        return status;
    if (!*cli->has_told_of_out)
        tv_cli_note(cli, NULL, "standard output: %s: the answer is not complete", reason);
    return TV_STATUS_FAILED;
}

int tv_command_run(struct tv_cli *cli, int word_count, char *const *words)
{
    size_t count = word_count > 0 ? (size_t)word_count - 1 : 0;
    int status = word_count > 0 && is_called(words[0], tv_verb_dmtracedump.name)
                     ? run_verb(cli, &tv_verb_dmtracedump, words + 1, count)
                     : dispatch(cli, words + 1, count);
    return finish(cli, status);
}
