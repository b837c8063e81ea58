/*
 * One line on a terminal's stderr that says how far a long task has come, and goes away afterwards.
 * Where stderr is no terminal, nothing is shown.
 *
 * A task has phases, one after the other. Each goes on at the percentage that the last one reached,
 * so the percentage never falls, and a phase that turns out not to be needed takes nothing of it.
 */
#ifndef TV_CLI_TERMINAL_PROGRESS_H
#define TV_CLI_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"

struct tv_progress {
    const struct tv_cli *cli;
    const char *subject; /* the file; borrowed */
    const char *phase;   /* "reading"; static */
    unsigned from;       /* the percentage at which the phase begins, and the one where it ends */
    unsigned to;
    unsigned reached;  /* the percentage so far */
    uint64_t begun_ns; /* of the task */
    uint64_t shown_ns; /* when the line was written last; 0: never */
    bool is_shown;     /* there is a line to clear */
};

void tv_progress_init(struct tv_progress *progress, const struct tv_cli *cli, const char *subject);
/* Begins the next phase, at the end of which `to` percent of the task are done. */
void tv_progress_phase(struct tv_progress *progress, const char *phase, unsigned to);
/* The two phases of reading a trace; a trace that is not packed has only the second. */
void tv_progress_unpacking(struct tv_progress *progress);
void tv_progress_reading(struct tv_progress *progress);
/* Fits tv_inflate_opts and tv_build_opts; never cancels. */
bool tv_progress_tell(void *progress, uint64_t done, uint64_t of);
/* Clears the line, which may come back. */
void tv_progress_clear(struct tv_progress *progress);

#endif
