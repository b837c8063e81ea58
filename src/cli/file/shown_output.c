/*
 * Text on its way to a terminal; see cli/file/shown_output.h. Every character that a terminal could
 * obey is written as an escape; line ends and tabs pass. Bytes come in pieces of any length, so a
 * character that may go on in the next piece is held back (`held`, fewer bytes than a character may
 * have) and joined with what comes. Only the end of the output writes it as it is.
 */
#include "cli/file/shown_output.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text/utf8.h"

#define PIECE_LEN 4096u

/* Whether the character at `at` may go on behind the end of the bytes, or be half of a line end. */
static bool may_go_on(struct tv_str bytes, size_t at)
{
    size_t left = bytes.len - at;
    return ((unsigned char)bytes.at[at] >= 0x80 && left < TV_SHOWN_CHARACTER_MOST) ||
           (bytes.at[at] == '\r' && left == 1);
}

/* Writes the character at *at, and moves on. The line end of CSV has two. */
static size_t put_next(char *out, struct tv_str bytes, size_t *at)
{
    uint32_t character = tv_utf8_next(bytes, at);
    if (character == '\r' && *at < bytes.len && bytes.at[*at] == '\n')
        return 0;
    if (character != '\n' && character != '\t')
        return tv_utf8_put_shown(out, character);
    *out = (char)character;
    return 1;
}

/* Writes characters up to the end, or, where more is to come, to one that may go on. *at is where
 * it stopped. */
static enum tv_code write_characters(const struct tv_shown_output *output, struct tv_str bytes,
                                     bool is_end, size_t *at, struct tv_error *err)
{
    char piece[PIECE_LEN];
    size_t len = 0;
    while (*at < bytes.len && (is_end || !may_go_on(bytes, *at))) {
        len += put_next(piece + len, bytes, at);
        if (len > sizeof(piece) - TV_UTF8_SHOWN_MOST) {
            TV_TRY(output->to.write(output->to.ctx, piece, len, err));
            len = 0;
        }
    }
    return len ? output->to.write(output->to.ctx, piece, len, err) : TV_OK;
}

/* Completes the character that is held with bytes that have come; *taken says with how many. */
static enum tv_code write_held(struct tv_shown_output *output, struct tv_str bytes, size_t *taken,
                               struct tv_error *err)
{
    char joined[2 * TV_SHOWN_CHARACTER_MOST];
    size_t held_len = output->held_len;
    size_t more = bytes.len < TV_SHOWN_CHARACTER_MOST ? bytes.len : TV_SHOWN_CHARACTER_MOST;
    size_t at = 0;
    memcpy(joined, output->held, held_len);
    memcpy(joined + held_len, bytes.at, more);
    const struct tv_str both = {joined, held_len + more};
    TV_TRY(write_characters(output, both, false, &at, err));
    /* Nothing but the beginning of a character is held: what stays of it has all that came. */
    *taken = at < held_len ? more : at - held_len;
    output->held_len = at < held_len ? both.len - at : 0;
    memcpy(output->held, joined + at, output->held_len);
    return TV_OK;
}

/* The sink's function: first the held character, then all but a last one that may go on. */
static enum tv_code write_shown(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_shown_output *output = ctx;
    struct tv_str rest = {bytes, len};
    size_t taken = 0;
    size_t at = 0;
    if (!len)
        return TV_OK;
    if (output->held_len)
        TV_TRY(write_held(output, rest, &taken, err));
    rest.at += taken;
    rest.len -= taken;
    TV_TRY(write_characters(output, rest, false, &at, err));
    if (at < rest.len) {
        output->held_len = rest.len - at;
        memcpy(output->held, rest.at + at, output->held_len);
    }
    return TV_OK;
}

void tv_shown_output_init(struct tv_shown_output *output, struct tv_sink to)
{
    *output = (struct tv_shown_output){.to = to};
}

struct tv_sink tv_shown_output_sink(struct tv_shown_output *output)
{
    return (struct tv_sink){.write = write_shown, .ctx = output};
}

enum tv_code tv_shown_output_finish(struct tv_shown_output *output, struct tv_error *err)
{
    const struct tv_str held = {output->held, output->held_len};
    size_t at = 0;
    output->held_len = 0;
    return write_characters(output, held, true, &at, err);
}
