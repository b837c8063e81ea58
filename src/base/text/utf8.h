/*
 * Decoding text of any bytes. Names in traces are modified UTF-8 from dex files, where U+0000 is C0
 * 80 and a supplementary character is two surrogates of three bytes each; both are understood.
 */
#ifndef TV_BASE_TEXT_UTF8_H
#define TV_BASE_TEXT_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define TV_UTF8_REPLACEMENT 0xfffdu

/* The character at *at, moving it on; an invalid byte gives U+FFFD and moves on by one. *at <
 * text.len. */
uint32_t tv_utf8_next(struct tv_str text, size_t *at);
/* Writes 1-4 bytes of a valid character; returns how many. */
unsigned tv_utf8_put(char out[4], uint32_t character);
/* Whether a character is written as an escape wherever a name is shown or sent: a terminal would
 * act upon it (ESC, U+009B), it turns the text around it (U+202E), or it cannot be seen, so that
 * two names that differ look the same (U+200B). */
bool tv_utf8_needs_escape(uint32_t character);
/* Writes a character as names are shown to people: what needs an escape as \x1b, \u202e or
 * \U000e0041, a line end and a tab as \n and \t, others as they are. Returns how many bytes. */
#define TV_UTF8_SHOWN_MOST 10u
unsigned tv_utf8_put_shown(char out[TV_UTF8_SHOWN_MOST], uint32_t character);

#endif
