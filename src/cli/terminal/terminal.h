/*
 * What the answer is written to, as far as its layout depends on that: the width of a terminal, its
 * colours, and the characters that it can draw.
 *
 * An answer that goes to no terminal is plain: nothing is cut to a width, no colours, no bars and
 * no branches, so that other programs find whole names.
 */
#ifndef TV_CLI_TERMINAL_TERMINAL_H
#define TV_CLI_TERMINAL_TERMINAL_H

#include <stdbool.h>

struct tv_terminal {
    unsigned width;  /* columns; 0: the answer goes to no terminal */
    unsigned height; /* lines; 0: not known */
    bool has_colour;
    bool has_drawing; /* it shows UTF-8: branches, bars and the ellipsis */
    bool is_dumb;     /* TERM=dumb: it moves no cursor */
};

/* Looks at an open file and at the environment. Nothing is shown in colour yet where the file is no
 * terminal. */
void tv_terminal_find(struct tv_terminal *terminal, int fd);
/* Whether what is written goes into the log of a job, whose runner takes lines for commands
 * (cli/terminal/log_commands.h), as the environment says. */
bool tv_terminal_is_job_log(void);
/* Makes characters have their width (tv_text_width); once, when the program starts. */
void tv_terminal_know_widths(void);

/* How a piece of text stands out. */
enum tv_style {
    TV_STYLE_PLAIN, /* ends every other style */
    TV_STYLE_HEADER,
    TV_STYLE_FAINT,
    TV_STYLE_HOT,
    TV_STYLE_WARM,
    TV_STYLE_BRANCH,
    TV_STYLE_BAR, /* of a share that does not stand out */
    TV_STYLE_COUNT
};

/* The bytes that begin a style; "" without colours. */
const char *tv_terminal_style(const struct tv_terminal *terminal, enum tv_style style);
/* How a share of the total, 0 to 1, stands out. */
enum tv_style tv_style_of_share(double share);

#endif
