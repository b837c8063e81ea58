/*
 * Text for people: numbers with their thousands marked, times in milliseconds, and names in which
 * everything that a terminal would obey is escaped. No locale, so the text is the same everywhere.
 *
 * Memory that runs out is kept in `code`, as in base/text/json.h: callers add piece after piece,
 * and look at the code once, at the end.
 */
#ifndef TV_CLI_WORDING_H
#define TV_CLI_WORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"

struct tv_text {
    struct tv_buffer buffer;
    enum tv_code code; /* the first failure */
};

void tv_text_init(struct tv_text *text, const struct tv_alloc *alloc);
void tv_text_release(struct tv_text *text);
void tv_text_add(struct tv_text *text, const char *format, ...) TV_PRINTF(2, 3);
void tv_text_add_str(struct tv_text *text, struct tv_str str);
/* Takes over the failure of a part that was made beside the text, unless the text has one. */
void tv_text_take_code(struct tv_text *text, const struct tv_text *part);
/* The most bytes of a name that text shows: twice as many as the longest names of real traces have.
 * A trace can repeat one long name in every row. */
#define TV_NAME_SHOWN 1000u
/* Adds a name from a trace or a command line: what tv_utf8_needs_escape names as \x1b, \u202e and
 * \U000e0041, invalid bytes as U+FFFD. What is behind the first TV_NAME_SHOWN bytes is only
 * counted. */
void tv_text_add_name(struct tv_text *text, struct tv_str name);
/* A line: "Calls are not compared: app.trace looks sampled." `why` follows the file's name. */
void tv_text_add_not_compared(struct tv_text *text, const char *what, struct tv_str file,
                              const char *why);
void tv_text_add_blanks(struct tv_text *text, size_t count);
/* 1,234,567 */
void tv_text_add_count(struct tv_text *text, uint64_t count);
/* "11..14", or the one number where both are equal. */
void tv_text_add_range(struct tv_text *text, uint64_t least, uint64_t most);
/* 1,234.567, from nanoseconds: base/numbers/shown_number.h has the rule of these three */
void tv_text_add_ms(struct tv_text *text, int64_t time_ns);
/* 0.000426: the part of each of `count` in a sum of nanoseconds */
void tv_text_add_mean_ms(struct tv_text *text, int64_t sum_ns, uint64_t count);
/* 2.441 s, 45.613 ms, 7.850 µs, 8 µs: a moment, or a time whose parts of a thousand matter */
void tv_text_add_time(struct tv_text *text, uint64_t time_ns);
/* 2.44 s, 45.6 ms, 7.85 µs, 7 min 12 s: for how long something took, in a sentence */
void tv_text_add_duration(struct tv_text *text, uint64_t time_ns);
/* A time with all its nanoseconds, 12.345678912 s, as the end of a range needs them. */
void tv_text_add_exact_time(struct tv_text *text, uint64_t time_ns);
/* 12.3 MB */
void tv_text_add_size(struct tv_text *text, uint64_t len);
/* 2d 03h, 3h 07m, 1m 05s */
void tv_text_add_uptime(struct tv_text *text, uint64_t uptime_s);
/* 12.3, or <0.1, the share in percent; "-" when there is no total */
void tv_text_add_percent(struct tv_text *text, int64_t part, uint64_t total);
struct tv_str tv_text_view(const struct tv_text *text);
/* Whether tv_text_add_quoted can say a word: nothing in it would have to be escaped. */
bool tv_text_can_quote(struct tv_str word);
/* Adds a word of a command line so that a shell takes it as it is: 'my app.trace'. */
void tv_text_add_quoted(struct tv_text *text, struct tv_str word);
/* Adds text, each line in at most `width` columns: broken between words, and indented so far where
 * it goes on. A word that is wider stays whole. */
void tv_text_break(struct tv_text *text, struct tv_str lines, size_t width, unsigned indent);
/* The length of the first character of a text, or of the style that it begins with. */
size_t tv_text_next(struct tv_str text);
/* Columns that the text takes on a terminal: two for a wide character, none for an accent that
 * stands over another, or for a style. */
size_t tv_text_width(struct tv_str text);

#endif
