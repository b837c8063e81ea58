/*
 * Text of any bytes; see base/str.h. Bytes are compared as unsigned and without a locale, so an
 * order is the same on every machine. Numbers are read whole or refused: no sign, no blank, no
 * overflow.
 */
#include "base/str.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hex.h"

/* Longest part of a user's text that an error repeats. */
#define SHOWN_LEN 60

struct tv_str tv_str_from(const char *zero_ended)
{
    return (struct tv_str){.at = zero_ended, .len = strlen(zero_ended)};
}

bool tv_str_equal(struct tv_str a, struct tv_str b)
{
    return a.len == b.len && (!a.len || memcmp(a.at, b.at, a.len) == 0);
}

bool tv_str_equal_folded(struct tv_str a, struct tv_str b)
{
    return a.len == b.len && (!a.len || tv_str_find(a, b, TV_CASE_FOLD) == 0);
}

/* All bytes are compared whatever differs first, so that the time tells nobody how many of a guess
 * were right. */
bool tv_str_equal_secret(struct tv_str a, struct tv_str b)
{
    unsigned difference = 0;
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        difference |= (unsigned)(unsigned char)a.at[i] ^ (unsigned)(unsigned char)b.at[i];
    return difference == 0;
}

bool tv_str_starts_with(struct tv_str text, struct tv_str prefix)
{
    return text.len >= prefix.len && (!prefix.len || memcmp(text.at, prefix.at, prefix.len) == 0);
}

bool tv_str_ends_with(struct tv_str text, struct tv_str end)
{
    return text.len >= end.len &&
           tv_str_equal((struct tv_str){text.at + text.len - end.len, end.len}, end);
}

int tv_str_compare(struct tv_str a, struct tv_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.at, b.at, len) : 0;
    if (order)
        return order;
    return (a.len > b.len) - (a.len < b.len);
}

/* The last part leaves a rest without an address, which is how the next call knows that there is
 * none; an empty text that has an address is one empty part. */
bool tv_str_split(struct tv_str *rest, char separator, struct tv_str *part)
{
    if (!rest->at)
        return false;
    const char *end = rest->len ? memchr(rest->at, separator, rest->len) : NULL;
    if (!end) {
        *part = *rest;
        *rest = (struct tv_str){NULL, 0};
        return true;
    }
    size_t len = (size_t)(end - rest->at);
    *part = (struct tv_str){rest->at, len};
    *rest = (struct tv_str){end + 1, rest->len - len - 1};
    return true;
}

/* What is no digit is above every base. */
static unsigned digit_value(char digit)
{
    return (unsigned)tv_hex_value(digit);
}

static struct tv_str without_leading_blanks(struct tv_str text)
{
    while (text.len && tv_is_blank(text.at[0]))
        text = (struct tv_str){text.at + 1, text.len - 1};
    return text;
}

struct tv_str tv_str_trim(struct tv_str text)
{
    text = without_leading_blanks(text);
    while (text.len && tv_is_blank(text.at[text.len - 1]))
        text.len--;
    return text;
}

struct tv_str tv_str_take_word(struct tv_str *line)
{
    struct tv_str rest = without_leading_blanks(*line);
    struct tv_str word = {rest.at, 0};
    while (word.len < rest.len && !tv_is_blank(rest.at[word.len]))
        word.len++;
    *line = (struct tv_str){rest.at + word.len, rest.len - word.len};
    return word;
}

bool tv_str_to_u64(struct tv_str text, unsigned base, uint64_t *value)
{
    uint64_t sum = 0;
    if (!text.len)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = digit_value(text.at[i]);
        if (digit >= base || __builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)digit, &sum))
            return false;
    }
    *value = sum;
    return true;
}

bool tv_str_to_numbers(struct tv_str text, char separator, uint64_t *const *numbers, size_t count)
{
    struct tv_str part;
    for (size_t i = 0; i < count; i++) {
        if (!tv_str_split(&text, separator, &part) || !tv_str_to_u64(part, 10, numbers[i]))
            return false;
    }
    return !text.at;
}

bool tv_str_has_word(struct tv_str list, struct tv_str word)
{
    struct tv_str part;
    while (tv_str_split(&list, ',', &part)) {
        if (tv_str_equal(tv_str_trim(part), word))
            return true;
    }
    return false;
}

struct tv_str tv_str_file_name(struct tv_str path)
{
    for (size_t i = path.len; i > 0; i--) {
        if (path.at[i - 1] == '/')
            return (struct tv_str){path.at + i, path.len - i};
    }
    return path;
}

const char *tv_file_name_of(const char *path)
{
    return tv_str_file_name(tv_str_from(path)).at;
}

int tv_str_shown_len(struct tv_str text)
{
    return text.len > SHOWN_LEN ? SHOWN_LEN : (int)text.len;
}

/* Twenty characters at most, so the sum of digits stays exact enough; exponents and signs are
 * refused. */
bool tv_str_to_decimal(struct tv_str text, double *value)
{
    struct tv_str part = text;
    struct tv_str whole;
    double sum = 0;
    double step = 1;
    if (text.len > 20 || !tv_str_split(&part, '.', &whole) || whole.len + part.len == 0)
        return false;
    for (size_t i = 0; i < whole.len; i++) {
        if (digit_value(whole.at[i]) > 9)
            return false;
        sum = sum * 10 + digit_value(whole.at[i]);
    }
    for (size_t i = 0; i < part.len; i++) {
        if (digit_value(part.at[i]) > 9)
            return false;
        step /= 10;
        sum += digit_value(part.at[i]) * step;
    }
    *value = sum;
    return true;
}

static unsigned char fold_case(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* By the needle's first byte, which memchr finds many bytes at a time. */
static size_t find_exact(struct tv_str text, struct tv_str needle)
{
    size_t last = text.len - needle.len;
    for (size_t at = 0; at <= last; at++) {
        const char *hit = memchr(text.at + at, needle.at[0], last - at + 1);
        if (!hit)
            return SIZE_MAX;
        at = (size_t)(hit - text.at);
        if (memcmp(hit, needle.at, needle.len) == 0)
            return at;
    }
    return SIZE_MAX;
}

static bool equal_folded(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (fold_case(a[i]) != fold_case(b[i]))
            return false;
    }
    return true;
}

/* Folding goes letter by letter, since only ASCII letters fold and their lengths do not change. */
size_t tv_str_find(struct tv_str text, struct tv_str needle, enum tv_case fold)
{
    if (!needle.len)
        return 0;
    if (needle.len > text.len)
        return SIZE_MAX;
    if (fold == TV_CASE_EXACT)
        return find_exact(text, needle);
    for (size_t at = 0; at <= text.len - needle.len; at++) {
        if (equal_folded(text.at + at, needle.at, needle.len))
            return at;
    }
    return SIZE_MAX;
}

bool tv_str_has_upper(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] >= 'A' && text.at[i] <= 'Z')
            return true;
    }
    return false;
}

struct tv_str tv_str_glob_beginning(struct tv_str pattern)
{
    size_t len = 0;
    while (len < pattern.len && pattern.at[len] != '*' && pattern.at[len] != '?')
        len++;
    return (struct tv_str){pattern.at, len};
}

bool tv_str_is_glob(struct tv_str pattern)
{
    return tv_str_glob_beginning(pattern).len < pattern.len;
}

/* Only the last star is ever tried again with a longer run: what an earlier star stands for can
 * stay as short as it is. */
bool tv_str_glob(struct tv_str text, struct tv_str pattern)
{
    size_t at = 0;
    size_t want = 0;
    /* The last star met, and where the text that it stands for ends for now. */
    size_t star = SIZE_MAX;
    size_t star_at = 0;
    while (at < text.len) {
        if (want < pattern.len && pattern.at[want] == '*') {
            star = want++;
            star_at = at;
        } else if (want < pattern.len &&
                   (pattern.at[want] == '?' || pattern.at[want] == text.at[at])) {
            want++;
            at++;
        } else if (star != SIZE_MAX) {
            want = star + 1;
            at = ++star_at;
        } else {
            return false;
        }
    }
    while (want < pattern.len && pattern.at[want] == '*')
        want++;
    return want == pattern.len;
}

/* The hash is the same on all machines, which the colors of flame graphs rely on. Whoever chooses
 * the texts can make them collide: no key of a stranger is looked up by it alone. */
uint64_t tv_hash_bytes(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    uint64_t hash = 0x9e3779b97f4a7c15u ^ len;
    for (; len >= 8; len -= 8, at += 8) {
        hash = (hash ^ tv_load_le64(at)) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    for (; len; len--, at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    hash ^= hash >> 29;
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 32;
}

/* From the right, since digits come out last first; the text begins within the room. */
struct tv_str tv_str_of_count(char room[TV_STR_COUNT_MOST], uint64_t count)
{
    size_t at = TV_STR_COUNT_MOST;
    unsigned digits = 0;
    do {
        if (digits && digits % 3 == 0)
            room[--at] = ',';
        room[--at] = (char)('0' + count % 10);
        count /= 10;
        digits++;
    } while (count);
    return (struct tv_str){room + at, TV_STR_COUNT_MOST - at};
}
