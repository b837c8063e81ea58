/*
 * What the command needs of the system: memory that is mapped, worker threads, signals, the
 * terminal. Where there is none of it, cli/wasi/program.c stands in place of this file.
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/command/command.h"
#include "os/memory/alloc.h"
#include "os/memory/fault.h"
#include "os/process/pool.h"
#include "os/standard_files.h"
#include "site/jobs/index_child.h"

/* The child process that reads an upload of a site is this program too; it must not open a
 * terminal, start threads or read settings, so it branches off first. */
int tv_command(int word_count, char *const *words)
{
    /* A child that reads an upload goes its own way before anything is set up that it does not
     * need. */
    if (tv_index_child_is_asked(word_count, words))
        tv_index_child_run(word_count, words);
    bool has_told_of_out = false;
    struct tv_mapping_cache pages;
    tv_mapping_cache_init(&pages);
    const struct tv_alloc alloc = tv_os_alloc_with(&pages);
    struct tv_cli cli = {.alloc = &alloc,
                         .pool = tv_pool_serial(),
                         .out = stdout,
                         .err = stderr,
                         .is_err_terminal = isatty(STDERR_FILENO) == 1,
                         .is_in_log = tv_terminal_is_job_log(),
                         .uses_cache = true,
                         .has_told_of_out = &has_told_of_out};
    struct tv_workers *workers;
    /* A trace that is opened must not become file 0, 1 or 2 where those were closed. */
    tv_standard_files_reserve();
    tv_fault_handle_signals();
    tv_terminal_know_widths();
    tv_terminal_find(&cli.terminal, STDOUT_FILENO);
    /* Without workers everything runs on one thread, only slower. */
    if (tv_workers_new(&workers, cli.alloc, 0, NULL) == TV_OK)
        cli.pool = tv_workers_pool(workers);
    int status = tv_command_run(&cli, word_count, words);
    tv_workers_free(workers);
    tv_mapping_cache_release(&pages);
    return status;
}
