/*
 * Text in XML, or in HTML. Text may hold any bytes: what has a meaning in markup is escaped, and so
 * is what XML cannot hold, what would act on whoever reads it, and what cannot be seen
 * (tv_utf8_needs_escape), as \x1b or \u202e; invalid UTF-8 becomes U+FFFD.
 */
#ifndef TV_BASE_TEXT_MARKUP_H
#define TV_BASE_TEXT_MARKUP_H

#include <stdint.h>

#include "base/str.h"
#include "base/text/out.h"

/* The most bytes of a longer name that are written, escapes and all: a trace can repeat one long
 * name in every box. */
#define TV_MARKUP_NAME_SHOWN 1000u

/* What a character with a meaning in markup is written as; empty for others. */
struct tv_str tv_markup_entity(uint32_t character);
/* Text, for an element or a quoted attribute. */
void tv_markup_text(struct tv_out *out, struct tv_str text);
/* Text that keeps its line ends: for notes, which may have several lines. */
void tv_markup_lines(struct tv_out *out, struct tv_str text);
/* A pattern of markup in which each {} is replaced by the next of `count` texts, escaped: what is
 * put into a page this way cannot become markup. There are as many {} as texts. */
void tv_markup_fill(struct tv_out *out, const char *pattern, size_t count,
                    const struct tv_str *texts);
#define TV_MARKUP(out, pattern, ...)                                                               \
    tv_markup_fill((out), (pattern),                                                               \
                   sizeof((const struct tv_str[]){__VA_ARGS__}) / sizeof(struct tv_str),           \
                   (const struct tv_str[]){__VA_ARGS__})
/* A name: of a long one the beginning, and how many bytes follow. */
void tv_markup_name(struct tv_out *out, struct tv_str name);

#endif
