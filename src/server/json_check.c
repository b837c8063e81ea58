/*
 * Whether a text is one JSON object (RFC 8259); see server/json_check.h.
 *
 * One pass over the bytes. All that the pass remembers is a stack of the open brackets, of
 * LEVEL_LIMIT, and what must come next: there is no recursion and no allocation, whatever the text
 * is.
 */
#include "server/json_check.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define LEVEL_LIMIT 32u

/* What must come next, blanks aside. */
enum expected {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_CLOSE,
    EXPECT_KEY,
    EXPECT_KEY_OR_CLOSE,
    EXPECT_COLON,
    EXPECT_COMMA
};

struct checking {
    struct tv_str text;
    size_t at;
    char closers[LEVEL_LIMIT]; /* of the open brackets */
    size_t depth;
    enum expected expected;
};

/* Moves from a backslash to the last byte of what it escapes. */
static bool skip_escape(struct checking *check)
{
    if (++check->at == check->text.len || !strchr("\"\\/bfnrtu", check->text.at[check->at]))
        return false;
    if (check->text.at[check->at] != 'u')
        return check->text.at[check->at] != '\0';
    for (unsigned i = 0; i < 4; i++) {
        if (++check->at == check->text.len || !check->text.at[check->at] ||
            !strchr("0123456789abcdefABCDEF", check->text.at[check->at]))
            return false;
    }
    return true;
}

/* Moves behind the closing quote. A NUL byte is below 0x20 and so refused. */
static bool skip_string(struct checking *check)
{
    for (check->at++; check->at < check->text.len; check->at++) {
        unsigned char byte = (unsigned char)check->text.at[check->at];
        if (byte < 0x20)
            return false;
        if (byte == '\\' && !skip_escape(check))
            return false;
        if (byte == '"') {
            check->at++;
            return true;
        }
    }
    return false;
}

static bool is_word_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '-' ||
           byte == '+' || byte == '.' || byte == 'E';
}

/* Takes one of the bytes from the front of the word, if one of them stands there. */
static bool take_byte(struct tv_str *word, const char *bytes)
{
    if (!word->len || !word->at[0] || !strchr(bytes, word->at[0]))
        return false;
    *word = (struct tv_str){word->at + 1, word->len - 1};
    return true;
}

/* False where no digit stands. */
static bool take_digits(struct tv_str *word)
{
    size_t len = word->len;
    while (take_byte(word, "0123456789"))
        ;
    return word->len < len;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_number(struct tv_str word)
{
    (void)take_byte(&word, "-");
    if (!take_byte(&word, "0") && !take_digits(&word))
        return false;
    if (take_byte(&word, ".") && !take_digits(&word))
        return false;
    if (take_byte(&word, "eE")) {
        (void)take_byte(&word, "+-");
        if (!take_digits(&word))
            return false;
    }
    return !word.len;
}

/* A number, true, false or null. */
static bool skip_word(struct checking *check)
{
    static const struct tv_str words[] = {{"true", 4}, {"false", 5}, {"null", 4}};
    struct tv_str word = {check->text.at + check->at, 0};
    while (check->at < check->text.len && is_word_byte(check->text.at[check->at])) {
        check->at++;
        word.len++;
    }
    for (size_t i = 0; i < TV_COUNT_OF(words); i++) {
        if (tv_str_equal(word, words[i]))
            return true;
    }
    return is_number(word);
}

static bool open_bracket(struct checking *check, char closer)
{
    if (check->depth == LEVEL_LIMIT)
        return false;
    check->closers[check->depth++] = closer;
    check->expected = closer == '}' ? EXPECT_KEY_OR_CLOSE : EXPECT_VALUE_OR_CLOSE;
    check->at++;
    return true;
}

static bool take_value(struct checking *check)
{
    char byte = check->text.at[check->at];
    if (byte == '{' || byte == '[')
        return open_bracket(check, byte == '{' ? '}' : ']');
    check->expected = EXPECT_COMMA;
    return byte == '"' ? skip_string(check) : skip_word(check);
}

static bool close_bracket(struct checking *check)
{
    if (!check->depth || check->text.at[check->at] != check->closers[check->depth - 1])
        return false;
    check->depth--;
    check->at++;
    check->expected = EXPECT_COMMA;
    return true;
}

/* Behind a value: a comma, or the end of what it stands in. */
static bool take_comma(struct checking *check)
{
    if (check->text.at[check->at] != ',')
        return close_bracket(check);
    check->expected = check->closers[check->depth - 1] == '}' ? EXPECT_KEY : EXPECT_VALUE;
    check->at++;
    return true;
}

/* Takes one token; false when it is not what must come next. */
static bool step(struct checking *check)
{
    char byte = check->text.at[check->at];
    switch (check->expected) {
    case EXPECT_VALUE_OR_CLOSE:
        return byte == ']' ? close_bracket(check) : take_value(check);
    case EXPECT_VALUE:
        return take_value(check);
    case EXPECT_KEY_OR_CLOSE:
        if (byte == '}')
            return close_bracket(check);
        check->expected = EXPECT_COLON;
        return byte == '"' && skip_string(check);
    case EXPECT_KEY:
        check->expected = EXPECT_COLON;
        return byte == '"' && skip_string(check);
    case EXPECT_COLON:
        check->expected = EXPECT_VALUE;
        check->at++;
        return byte == ':';
    case EXPECT_COMMA:
        return take_comma(check);
    }
    return false;
}

static void skip_blanks(struct checking *check)
{
    while (check->at < check->text.len && check->text.at[check->at] &&
           strchr(" \t\r\n", check->text.at[check->at]))
        check->at++;
}

bool tv_json_is_object(struct tv_str text)
{
    struct checking check = {.text = text, .expected = EXPECT_VALUE};
    skip_blanks(&check);
    if (check.at == text.len || text.at[check.at] != '{')
        return false;
    do {
        if (!step(&check))
            return false;
        skip_blanks(&check);
    } while (check.depth && check.at < text.len);
    return !check.depth && check.at == text.len;
}
