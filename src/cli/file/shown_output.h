/*
 * Text on its way to a terminal: what the terminal would obey is written as names are shown
 * (base/text/utf8.h), and line ends and tabs stay. In files and pipes the formats of other tools
 * have the bytes of the trace.
 */
#ifndef TV_CLI_FILE_SHOWN_OUTPUT_H
#define TV_CLI_FILE_SHOWN_OUTPUT_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"

/* Two surrogates are the longest character. */
#define TV_SHOWN_CHARACTER_MOST 6u

struct tv_shown_output {
    struct tv_sink to;
    char held[TV_SHOWN_CHARACTER_MOST]; /* the beginning of a character, whose end is to come */
    size_t held_len;
};

void tv_shown_output_init(struct tv_shown_output *output, struct tv_sink to);
struct tv_sink tv_shown_output_sink(struct tv_shown_output *output);
/* Writes what is held: no more bytes come. */
enum tv_code tv_shown_output_finish(struct tv_shown_output *output,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
