/*
 * The output of a shell of version 1; see adb/plain_shell.h.
 *
 * Such a shell has no packets: output and exit status come in one stream, through a terminal that
 * turns "\n" into "\r\n". The command is made to print its status as the last line; so the last
 * bytes are always held back until the end, when the status is cut off them.
 *
 * A chunk may end between "\r" and "\n"; the return is therefore remembered from one chunk to the
 * next.
 */
#include "adb/plain_shell.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#define MOST_STATUS 255u
#define MOST_DIGITS 3u
#define MOST_ENDS 3u /* "\r\r\n": some terminals return twice */
static_assert(sizeof(TV_ADB_PLAIN_STATUS) - 1 + MOST_DIGITS + MOST_ENDS <=
                  sizeof(((struct tv_adb_plain *)NULL)->held) / 2,
              "the last line is held back whatever pieces it comes in");

static enum tv_code give(struct tv_adb_plain *plain, const char *bytes, size_t len,
                         struct tv_error *err)
{
    if (!plain->sink.write || !len)
        return TV_OK;
    return plain->sink.write(plain->sink.ctx, bytes, len, err);
}

/* Holds one more byte back; what was held longest is passed on. */
static enum tv_code hold(struct tv_adb_plain *plain, char byte, struct tv_error *err)
{
    const size_t half = sizeof(plain->held) / 2;
    if (plain->held_len == sizeof(plain->held)) {
        TV_TRY(give(plain, plain->held, half, err));
        memmove(plain->held, plain->held + half, half);
        plain->held_len = half;
    }
    plain->held[plain->held_len++] = byte;
    return TV_OK;
}

/* Passes on a long piece at once, except its end, which may belong to the last line. */
static enum tv_code give_plain_part(struct tv_adb_plain *plain, struct tv_str *bytes,
                                    struct tv_error *err)
{
    const char *turn = memchr(bytes->at, '\r', bytes->len);
    size_t len = turn ? (size_t)(turn - bytes->at) : bytes->len;
    if (plain->has_return || len <= sizeof(plain->held))
        return TV_OK;
    len -= sizeof(plain->held);
    TV_TRY(give(plain, plain->held, plain->held_len, err));
    plain->held_len = 0;
    TV_TRY(give(plain, bytes->at, len, err));
    *bytes = (struct tv_str){bytes->at + len, bytes->len - len};
    return TV_OK;
}

/* Bytes that cannot be the end of the output go through at once (give_plain_part); only the last
 * ones are looked at byte by byte. */
enum tv_code tv_adb_plain_push(struct tv_adb_plain *plain, struct tv_str bytes,
                               struct tv_error *err)
{
    TV_TRY(give_plain_part(plain, &bytes, err));
    for (size_t i = 0; i < bytes.len; i++) {
        const char byte = bytes.at[i];
        if (plain->has_return && byte != '\n')
            TV_TRY(hold(plain, '\r', err));
        plain->has_return = byte == '\r';
        if (!plain->has_return)
            TV_TRY(hold(plain, byte, err));
    }
    return TV_OK;
}

/* Cuts the status off the end of the text. -1: there is none, so the connection broke off. */
static int take_status(struct tv_str *text)
{
    const struct tv_str word = TV_STR(TV_ADB_PLAIN_STATUS);
    struct tv_str rest = *text, digits;
    size_t at = 0, found;
    uint64_t status;
    bool is_found = false;
    while ((found = tv_str_find(rest, word, TV_CASE_EXACT)) != SIZE_MAX) {
        at += (is_found ? word.len : 0) + found;
        rest = (struct tv_str){text->at + at + word.len, text->len - at - word.len};
        is_found = true;
    }
    digits = rest;
    while (digits.len && rest.len - digits.len < MOST_ENDS &&
           (digits.at[digits.len - 1] == '\n' || digits.at[digits.len - 1] == '\r'))
        digits.len--;
    /* Without the end of its line the last digits may be missing. */
    if (!is_found || digits.len == rest.len || digits.len > MOST_DIGITS ||
        !tv_str_to_u64(digits, 10, &status) || status > MOST_STATUS)
        return -1;
    text->len = at;
    return (int)status;
}

enum tv_code tv_adb_plain_end(struct tv_adb_plain *plain, int *status, struct tv_error *err)
{
    if (plain->has_return)
        TV_TRY(hold(plain, '\r', err));
    plain->has_return = false;
    struct tv_str text = {plain->held, plain->held_len};
    *status = take_status(&text);
    plain->held_len = 0;
    return give(plain, text.at, text.len, err);
}
