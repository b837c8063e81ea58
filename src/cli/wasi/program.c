/*
 * The command as WebAssembly (docs/npm.md): the program's own verbs, for machines that the program
 * itself does not run on. WASI gives it words, variables, files and a clock; there are no threads,
 * no signals and no other programs.
 *
 * In place of cli/command/program.c stands this file, in place of what the system gives the files
 * of os/wasi and cli/wasi; all else is compiled as it is.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/command/command.h"
#include "engine/wasm_alloc.h"

/* Verbs of the program that take what is not here. Without this list their names would be taken for
 * those of files. */
static const char *const elsewhere[] = {"record", "devices", "processes", "pull", "index",
                                        "serve",  "store",   "push",      "open", "fleet"};

static bool is_elsewhere(const char *word)
{
    for (size_t i = 0; i < TV_COUNT_OF(elsewhere); i++) {
        if (strcmp(word, elsewhere[i]) == 0)
            return true;
    }
    return false;
}

/* The native program buffers this many bytes of stdout where it is no terminal. With the same
 * buffer here, answers and messages come in the same order. */
#define HELD_BACK 4096

int tv_command(int word_count, char *const *words)
{
    bool has_told_of_out = false;
    struct tv_cli cli = {.alloc = tv_wasm_alloc(),
                         .pool = tv_pool_serial(),
                         .out = stdout,
                         .err = stderr,
                         .is_err_terminal = isatty(STDERR_FILENO) == 1,
                         .is_in_log = tv_terminal_is_job_log(),
                         .has_told_of_out = &has_told_of_out};
    if (isatty(STDOUT_FILENO) != 1)
        (void)setvbuf(stdout, NULL, _IOFBF, HELD_BACK);
    tv_terminal_know_widths();
    tv_terminal_find(&cli.terminal, STDOUT_FILENO);
    if (word_count > 1 && is_elsewhere(words[1]))
        return tv_cli_misuse(&cli, "%s: only traceview on Linux can; this is its package for npm",
                             words[1]);
    return tv_command_run(&cli, word_count, words);
}
