/* Text from a trace: pointer and length, any byte, not ended by NUL. Never owned. */
#ifndef TV_BASE_STR_H
#define TV_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct tv_str {
    const char *at; /* may be NULL when len is 0 */
    size_t len;
};

/* A string literal as a tv_str. */
#define TV_STR(literal) ((struct tv_str){(literal), sizeof(literal) - 1})

struct tv_str tv_str_from(const char *zero_ended);
bool tv_str_equal(struct tv_str a, struct tv_str b);
/* Whether two texts are equal, where ASCII letters match either case. */
bool tv_str_equal_folded(struct tv_str a, struct tv_str b);
/* tv_str_equal for a secret: for texts of equal length, the time that it takes does not show where
 * they differ. */
bool tv_str_equal_secret(struct tv_str a, struct tv_str b);
bool tv_str_starts_with(struct tv_str text, struct tv_str prefix);
bool tv_str_ends_with(struct tv_str text, struct tv_str end);
/* Bytewise, shorter first among equals: <0, 0, >0. */
int tv_str_compare(struct tv_str a, struct tv_str b);
/* The text before the first `separator`; *rest is what follows it, or empty. False at the end of
 * text. */
bool tv_str_split(struct tv_str *rest, char separator, struct tv_str *part);
/* What separates words inside a line. A file that was written on Windows has a return before each
 * line end, which is not part of the last word. */
TV_INLINE bool tv_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}
/* The text without the blanks with which it begins and ends. */
struct tv_str tv_str_trim(struct tv_str text);
/* Takes the next word off a line, with the blanks before it; an empty one at the end. */
struct tv_str tv_str_take_word(struct tv_str *line);
/* Digits of `base` 8, 10 or 16 only, whole text, at most UINT64_MAX. */
bool tv_str_to_u64(struct tv_str text, unsigned base, uint64_t *value);
/* "1:2:3": reads `count` decimal numbers with a separator between two of them, whole text. */
bool tv_str_to_numbers(struct tv_str text, char separator, uint64_t *const *numbers, size_t count);
/* A decimal number of at least 0, such as "2.5", whole text, at most 20 bytes. */
bool tv_str_to_decimal(struct tv_str text, double *value);
/* Whether a list, "boot, chosen", has this word. */
bool tv_str_has_word(struct tv_str list, struct tv_str word);
/* The name of a file without its folder: what is behind the last slash of a path. */
struct tv_str tv_str_file_name(struct tv_str path);
const char *tv_file_name_of(const char *path);
/* How much of a user's text an error repeats, as a precision for "%.*s". */
int tv_str_shown_len(struct tv_str text);
/* First position of needle, or SIZE_MAX. With fold, ASCII letters match either case. */
enum tv_case { TV_CASE_EXACT, TV_CASE_FOLD };
size_t tv_str_find(struct tv_str text, struct tv_str needle, enum tv_case fold);
bool tv_str_has_upper(struct tv_str text);
/* `*` any run, `?` one byte; whole text. Linear in text times stars. */
bool tv_str_glob(struct tv_str text, struct tv_str pattern);
/* The pattern's text before its first * or ?; all of it where it has none. */
struct tv_str tv_str_glob_beginning(struct tv_str pattern);
bool tv_str_is_glob(struct tv_str pattern);
/* 1,234,567, which ends at the end of `room`. */
#define TV_STR_COUNT_MOST 26u
struct tv_str tv_str_of_count(char room[TV_STR_COUNT_MOST], uint64_t count);
uint64_t tv_hash_bytes(const void *bytes, size_t len);

#endif
