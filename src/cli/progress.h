/*
 * One line on a terminal's stderr that says how far a long step has come, and goes away afterwards.
 * Where stderr is no terminal, nothing is shown.
 */
#ifndef TV_CLI_PROGRESS_H
#define TV_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "index/build/build.h"

struct tv_progress {
    const struct tv_cli *cli;
    const char *subject; /* the file; borrowed */
    const char *step;    /* "reading"; static */
    uint64_t begun_ns;   /* of the step */
    uint64_t shown_ns;   /* when the line was written last; 0: never */
    bool is_shown;       /* there is a line to clear */
};

void tv_progress_init(struct tv_progress *progress, const struct tv_cli *cli, const char *subject,
                      const char *step);
/* Fits tv_inflate_opts and tv_build_opts; never cancels. */
bool tv_progress_tell(void *progress, uint64_t done, uint64_t of);
/* Clears the line. */
void tv_progress_end(struct tv_progress *progress);

#endif
