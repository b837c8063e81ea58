/*
 * One line on a terminal's stderr that tells how far a recording is: written over the one before,
 * and gone when it is over. Where stderr is no terminal, nothing is shown.
 */
#ifndef TV_CLI_TERMINAL_STATUS_LINE_H
#define TV_CLI_TERMINAL_STATUS_LINE_H

#include <stdbool.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/wording.h"

struct tv_status_line {
    const struct tv_cli *cli;
    bool is_shown; /* there is a line to clear */
};

/* Whether there is a terminal that shows it: else making a text is for nothing. */
bool tv_status_line_has_place(const struct tv_status_line *line);
/* Shows "traceview: NAME  TEXT": where there is too little room for both, the end of the name, and
 * where there is none for that, as much of the text alone as fits. The name is escaped here. */
void tv_status_line_show(struct tv_status_line *line, struct tv_str name, struct tv_str text);
/* Adds the line that tv_status_line_show shows, cut to `width` columns. */
void tv_status_line_fit(struct tv_text *out, const struct tv_terminal *terminal, struct tv_str name,
                        struct tv_str text, size_t width);
/* Clears the line, which may come back. */
void tv_status_line_clear(struct tv_status_line *line);

#endif
