/*
 * Tells files that were copied as text; see base/memory/text_damage.h.
 *
 * Each kind of damage leaves a count that chance would not give: many replacement characters, no
 * byte above 7f but in pairs, each line end with a return, or none at all in a file long enough to
 * have some. The thresholds below say how many are no chance. Readers ask only about a file that
 * they could not read, or whose end is missing.
 */
#include "base/memory/text_damage.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8_check.h"

/* Fewer characters may be chance. */
#define REPLACED_LEAST 8u
#define LATIN1_LEAST 16u
#define LATIN1_DISTINCT_LEAST 4u
/* In this many bytes from the start, where a data header is, one replaced byte is enough. */
#define HEADER_LEN 40u
/* Fewer line ends may be chance in a file that is damaged in some way. */
#define LINE_ENDS_LEAST 2u
#define LINE_ENDS_LOOK ((size_t)16 << 20) /* bytes from the start */
/* How many 0d, or pairs of 0d and 0a, a file would have by chance, where that it has none shows
 * that they were dropped. */
#define RETURNS_LEAST 16u
#define PAIRS_LEAST 8u
#define CHANCE ((size_t)1 << 16) /* bytes in which two given bytes meet once by chance */

#define CHARACTER_MOST 4u /* bytes of UTF-8 */
#define ASCII_MASK UINT64_C(0x8080808080808080)

/* The characters beyond ASCII among some bytes. */
struct characters {
    size_t replaced; /* ef bf bd */
    size_t latin1;   /* of two bytes, up to U+00FF */
    size_t others;
    size_t distinct;  /* of latin1 */
    uint64_t seen[2]; /* one bit for each of these */
    bool is_in_header;
};

/* U+FFFD is what decoders put for a byte that they do not know; U+0080 to U+00FF are what a byte
 * becomes that is taken for Latin-1. */
static void count_character(struct characters *counted, const uint8_t *at, size_t len, size_t pos)
{
    if (len == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] == 0xbd) {
        counted->replaced++;
        counted->is_in_header = counted->is_in_header || pos < HEADER_LEN;
    } else if (len == 2 && at[0] <= 0xc3) {
        uint64_t bit = UINT64_C(1) << (at[1] & 0x3f);
        counted->latin1++;
        counted->distinct += !(counted->seen[at[0] & 1] & bit);
        counted->seen[at[0] & 1] |= bit;
    } else {
        counted->others++;
    }
}

/* Counts the characters; false when the bytes are no UTF-8. */
static bool count_characters(struct characters *counted, const uint8_t *bytes, size_t len)
{
    size_t most = len < TV_TEXT_DAMAGE_LOOK ? len : TV_TEXT_DAMAGE_LOOK;
    for (size_t at = 0; at < most;) {
        if (most - at >= sizeof(uint64_t) && !(tv_load_le64(bytes + at) & ASCII_MASK)) {
            at += sizeof(uint64_t);
            continue;
        }
        if (bytes[at] < 0x80) {
            at++;
            continue;
        }
        size_t of = tv_utf8_check(bytes + at, len - at);
        if (!of) /* a file that was cut may end inside a character */
            return len - at < CHARACTER_MOST;
        count_character(counted, bytes + at, of, at);
        at += of;
    }
    return true;
}

enum tv_text_damage tv_text_damage_characters(const uint8_t *bytes, size_t len)
{
    struct characters counted = {.replaced = 0};
    if (!count_characters(&counted, bytes, len))
        return TV_TEXT_DAMAGE_WELL;
    if (counted.replaced >= REPLACED_LEAST || counted.is_in_header)
        return TV_TEXT_DAMAGE_UTF8;
    bool is_latin1 = !counted.replaced && !counted.others && counted.latin1 >= LATIN1_LEAST &&
                     counted.distinct >= LATIN1_DISTINCT_LEAST;
    return is_latin1 ? TV_TEXT_DAMAGE_LATIN1 : TV_TEXT_DAMAGE_WELL;
}

/* How often a byte of its size occurs by chance: the rarest of four neighbours of 0d, which occur
 * in no text. */
static uint64_t expected_count(const uint64_t *count)
{
    static const uint8_t neighbours[] = {0x0b, 0x0c, 0x0e, 0x0f};
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < sizeof(neighbours); i++) {
        if (count[neighbours[i]] < least)
            least = count[neighbours[i]];
    }
    return least;
}

/* How many 0a stand behind a 0d; 0 where any does not. That ends the search, and stands early in a
 * file that was not converted. */
static size_t count_returns(const uint8_t *bytes, size_t len)
{
    const uint8_t *at = bytes;
    size_t pairs = 0;
    while ((at = memchr(at, '\n', len - (size_t)(at - bytes)))) {
        if (at == bytes || at[-1] != '\r')
            return 0;
        pairs++;
        at++;
    }
    return pairs;
}

static size_t look_len(size_t len)
{
    return len < LINE_ENDS_LOOK ? len : LINE_ENDS_LOOK;
}

bool tv_text_damage_has_returns(const uint8_t *bytes, size_t len)
{
    return count_returns(bytes, look_len(len)) > 0;
}

/* How many 0d stand before a 0a; counting stops above `most`. */
static size_t count_pairs(const uint8_t *bytes, size_t len, size_t most)
{
    const uint8_t *end = bytes + len;
    const uint8_t *at = bytes;
    size_t pairs = 0;
    while (pairs <= most && (at = memchr(at, '\r', (size_t)(end - at)))) {
        at++;
        pairs += at < end && *at == '\n';
    }
    return pairs;
}

bool tv_text_damage_lacks_pairs(const uint8_t *bytes, size_t len)
{
    return !count_pairs(bytes, look_len(len), 0);
}

/* Whether there would be a 0d, or more of them before a 0a, if they had not been dropped. Of two
 * before a 0a one is left. */
static bool lacks_returns(const uint8_t *bytes, size_t len)
{
    uint64_t count[UINT8_MAX + 1] = {0};
    size_t most = 1 + len / (PAIRS_LEAST * CHANCE);
    size_t pairs = count_pairs(bytes, len, most);
    if (pairs > most)
        return false;
    for (size_t i = 0; i < len; i++)
        count[bytes[i]]++;
    uint64_t expected = expected_count(count);
    if (!count['\r'])
        return expected >= RETURNS_LEAST;
    return (double)count['\r'] * (double)expected >
           (double)PAIRS_LEAST * (double)(pairs + 1) * (double)len;
}

/* As tv_text_damage_characters; any character counts. */
static enum tv_text_damage judge_characters(const uint8_t *bytes, size_t len)
{
    struct characters counted = {.replaced = 0};
    if (!count_characters(&counted, bytes, len))
        return TV_TEXT_DAMAGE_WELL;
    if (counted.replaced)
        return TV_TEXT_DAMAGE_UTF8;
    return counted.latin1 && !counted.others ? TV_TEXT_DAMAGE_LATIN1 : TV_TEXT_DAMAGE_WELL;
}

enum tv_text_damage tv_text_damage_judge(const uint8_t *bytes, size_t len)
{
    enum tv_text_damage copied = judge_characters(bytes, len);
    if (copied != TV_TEXT_DAMAGE_WELL)
        return copied;
    if (count_returns(bytes, look_len(len)) >= LINE_ENDS_LEAST)
        return TV_TEXT_DAMAGE_CRLF;
    return lacks_returns(bytes, look_len(len)) ? TV_TEXT_DAMAGE_LF : TV_TEXT_DAMAGE_WELL;
}

enum tv_code tv_text_damage_refuse(enum tv_text_damage copied, uint64_t offset,
                                   struct tv_error *err)
{
    const char *what = "";
    switch (copied) {
    case TV_TEXT_DAMAGE_WELL:
        return TV_OK;
    case TV_TEXT_DAMAGE_UTF8:
        what = "copied as UTF-8 text, which put ef bf bd in the place of other bytes: ";
        break;
    case TV_TEXT_DAMAGE_LATIN1:
        what = "copied as text from Latin-1 to UTF-8, which made two bytes of each above 7f: ";
        break;
    case TV_TEXT_DAMAGE_CRLF:
        what = "copied as text, which put a 0d before each 0a: ";
        break;
    case TV_TEXT_DAMAGE_LF:
        what = "damaged as by a copy as text, which drops each 0d before a 0a: ";
        break;
    }
    return tv_fail(err, TV_ERR_FORMAT, offset, "%s%s", what, TV_COPY_AGAIN);
}
