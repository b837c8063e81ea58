/* Hexadecimal digits: sums, ids and tokens as text. */
#ifndef TV_BASE_HEX_H
#define TV_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Writes two digits of lower case for each byte, and no NUL. */
void tv_hex_put(char *text, const void *bytes, size_t len);
/* 0 to 15 for a digit of either case; -1: it is none. */
int tv_hex_value(char digit);
/* Whether all of a text is digits of lower case; an empty one is. */
bool tv_hex_is(struct tv_str text);

#endif
