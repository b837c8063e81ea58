/*
 * Reading JSON; see base/text/json_read.h. What may come next is a state, and which brackets are
 * open is a bit each, so the reader needs no stack and no recursion.
 */
#include "base/text/json_read.h"

#include <stdbool.h>
#include <string.h>

#include "base/text/utf8.h"

enum state {
    WANTS_VALUE,
    WANTS_FIRST_ITEM, /* or the end of the array */
    WANTS_FIRST_KEY,  /* or the end of the object */
    WANTS_KEY,
    WANTS_COLON,
    WANTS_NEXT, /* a comma, or the end of what is open */
    WANTS_END,
};

struct tv_json_reader tv_json_reader_of(struct tv_str text)
{
    return (struct tv_json_reader){.text = text, .state = WANTS_VALUE};
}

static enum tv_code fail(const struct tv_json_reader *reader, const char *what,
                         struct tv_error *err)
{
    return tv_fail(err, TV_ERR_FORMAT, reader->pos, "no JSON: %s", what);
}

static void pass_blanks(struct tv_json_reader *reader)
{
    while (reader->pos < reader->text.len) {
        char c = reader->text.at[reader->pos];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            return;
        reader->pos++;
    }
}

/* Behind a value comes a comma or a bracket, or at the outermost level the end of the text. */
static void end_value(struct tv_json_reader *reader)
{
    reader->state = reader->levels ? WANTS_NEXT : WANTS_END;
}

/* The bit of the innermost open bracket. Called only where one is open. */
static bool is_in_object(const struct tv_json_reader *reader)
{
    return reader->objects >> (reader->levels - 1) & 1;
}

/* The bit of the new level may be left from an earlier bracket, so it is set or cleared. */
static enum tv_code open_level(struct tv_json_reader *reader, bool is_object,
                               enum tv_json_token *token, struct tv_error *err)
{
    if (reader->levels == TV_JSON_LEVELS_MOST)
        return fail(reader, "it nests too deep", err);
    const uint64_t bit = (uint64_t)1 << reader->levels++;
    reader->objects = is_object ? reader->objects | bit : reader->objects & ~bit;
    reader->state = is_object ? WANTS_FIRST_KEY : WANTS_FIRST_ITEM;
    reader->pos++;
    *token = is_object ? TV_JSON_OBJECT : TV_JSON_ARRAY;
    return TV_OK;
}

static enum tv_code close_level(struct tv_json_reader *reader, enum tv_json_token *token)
{
    *token = is_in_object(reader) ? TV_JSON_OBJECT_END : TV_JSON_ARRAY_END;
    reader->levels--;
    reader->pos++;
    end_value(reader);
    return TV_OK;
}

/* Takes a string up to its second quote; its escapes are left to whoever decodes it. */
static enum tv_code take_string(struct tv_json_reader *reader, struct tv_error *err)
{
    const size_t first = reader->pos + 1;
    for (size_t i = first; i < reader->text.len; i++) {
        const unsigned char c = (unsigned char)reader->text.at[i];
        if (c == '"') {
            reader->raw = (struct tv_str){reader->text.at + first, i - first};
            reader->pos = i + 1;
            return TV_OK;
        }
        if (c < ' ')
            return fail(reader, "a control character in a string", err);
        i += c == '\\';
    }
    return fail(reader, "a string without an end", err);
}

/* The characters of numbers and of true, false and null. Whatever they spell is taken as one piece
 * first, so that an error names the whole of it. */
static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
}

static bool is_digit(struct tv_str text, size_t i)
{
    return i < text.len && text.at[i] >= '0' && text.at[i] <= '9';
}

static size_t pass_digits(struct tv_str text, size_t i)
{
    while (is_digit(text, i))
        i++;
    return i;
}

/* -12.5e+3: no zero before other digits, and digits on both sides of the point. */
static bool is_number(struct tv_str text)
{
    size_t i = text.len && text.at[0] == '-' ? 1 : 0;
    if (!is_digit(text, i) || (text.at[i] == '0' && is_digit(text, i + 1)))
        return false;
    i = pass_digits(text, i);
    if (i < text.len && text.at[i] == '.') {
        if (!is_digit(text, i + 1))
            return false;
        i = pass_digits(text, i + 1);
    }
    if (i < text.len && (text.at[i] == 'e' || text.at[i] == 'E')) {
        i++;
        i += i < text.len && (text.at[i] == '+' || text.at[i] == '-');
        if (!is_digit(text, i))
            return false;
        i = pass_digits(text, i);
    }
    return i == text.len;
}

static enum tv_code take_word(struct tv_json_reader *reader, enum tv_json_token *token,
                              struct tv_error *err)
{
    size_t end = reader->pos;
    while (end < reader->text.len && is_of_word(reader->text.at[end]))
        end++;
    reader->raw = (struct tv_str){reader->text.at + reader->pos, end - reader->pos};
    bool is_word = tv_str_equal(reader->raw, TV_STR("true")) ||
                   tv_str_equal(reader->raw, TV_STR("false")) ||
                   tv_str_equal(reader->raw, TV_STR("null"));
    if (!is_word && !is_number(reader->raw))
        return fail(reader, "a value was expected", err);
    *token = is_word ? TV_JSON_WORD : TV_JSON_NUMBER;
    reader->pos = end;
    end_value(reader);
    return TV_OK;
}

static enum tv_code take_value(struct tv_json_reader *reader, enum tv_json_token *token,
                               struct tv_error *err)
{
    switch (reader->text.at[reader->pos]) {
    case '{':
        return open_level(reader, true, token, err);
    case '[':
        return open_level(reader, false, token, err);
    case '"':
        TV_TRY(take_string(reader, err));
        *token = TV_JSON_STRING;
        end_value(reader);
        return TV_OK;
    default:
        return take_word(reader, token, err);
    }
}

/* The quotes of a key are checked here, since any value may stand where a key is missing. */
static enum tv_code take_key(struct tv_json_reader *reader, enum tv_json_token *token,
                             struct tv_error *err)
{
    if (reader->text.at[reader->pos] != '"')
        return fail(reader, "a key was expected", err);
    TV_TRY(take_string(reader, err));
    *token = TV_JSON_KEY;
    reader->state = WANTS_COLON;
    return TV_OK;
}

/* Takes a comma or a colon, behind which comes a key or a value, and no end. */
static enum tv_code take_separator(struct tv_json_reader *reader, struct tv_error *err)
{
    bool is_colon = reader->state == WANTS_COLON;
    if (reader->text.at[reader->pos] != (is_colon ? ':' : ','))
        return fail(reader,
                    is_colon ? "a colon was expected"
                             : "a comma or the end of what is open was expected",
                    err);
    reader->pos++;
    reader->state = !is_colon && is_in_object(reader) ? WANTS_KEY : WANTS_VALUE;
    pass_blanks(reader);
    return reader->pos < reader->text.len ? TV_OK : fail(reader, "the text ends early", err);
}

/* Not behind a comma: JSON has no comma before a closing bracket. */
static bool may_close(const struct tv_json_reader *reader)
{
    return reader->state == WANTS_FIRST_ITEM || reader->state == WANTS_FIRST_KEY ||
           reader->state == WANTS_NEXT;
}

enum tv_code tv_json_read(struct tv_json_reader *reader, enum tv_json_token *token,
                          struct tv_error *err)
{
    pass_blanks(reader);
    if (reader->state == WANTS_END) {
        *token = TV_JSON_END;
        return reader->pos == reader->text.len ? TV_OK : fail(reader, "more than one value", err);
    }
    if (reader->pos == reader->text.len)
        return fail(reader, "the text ends early", err);
    if (may_close(reader) && reader->text.at[reader->pos] == (is_in_object(reader) ? '}' : ']'))
        return close_level(reader, token);
    if (reader->state == WANTS_NEXT || reader->state == WANTS_COLON)
        TV_TRY(take_separator(reader, err));
    return reader->state == WANTS_KEY || reader->state == WANTS_FIRST_KEY
               ? take_key(reader, token, err)
               : take_value(reader, token, err);
}

/* Reads on until the level of the value is closed: every token on the way is still checked. */
enum tv_code tv_json_read_past(struct tv_json_reader *reader, enum tv_json_token token,
                               struct tv_error *err)
{
    if (token == TV_JSON_KEY)
        TV_TRY(tv_json_read(reader, &token, err));
    if (token != TV_JSON_OBJECT && token != TV_JSON_ARRAY)
        return TV_OK;
    const unsigned outside = reader->levels - 1;
    while (reader->levels > outside)
        TV_TRY(tv_json_read(reader, &token, err));
    return TV_OK;
}

static bool take_hex(struct tv_str raw, size_t at, uint32_t *value)
{
    uint64_t number;
    if (raw.len - at < 4 || !tv_str_to_u64((struct tv_str){raw.at + at, 4}, 16, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

/* Half a pair is no character. */
static size_t put_character(char *out, uint32_t code)
{
    char bytes[4];
    const unsigned len = tv_utf8_put(bytes, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    memcpy(out, bytes, len);
    return len;
}

static enum tv_code fail_escape(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "no JSON: a bad escape in a string");
}

/* \uD83D\uDE00 is one character; *i stands at the `u`, and then at its last digit. */
static enum tv_code take_unicode(struct tv_str raw, size_t *i, uint32_t *code, struct tv_error *err)
{
    uint32_t low;
    if (!take_hex(raw, *i + 1, code))
        return fail_escape(err);
    *i += 4;
    bool is_pair = *code >= 0xd800 && *code < 0xdc00 && raw.len - *i > 6 &&
                   raw.at[*i + 1] == '\\' && raw.at[*i + 2] == 'u' && take_hex(raw, *i + 3, &low) &&
                   low >= 0xdc00 && low < 0xe000;
    if (is_pair) {
        *i += 6;
        *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    }
    return TV_OK;
}

/* No escape is shorter than what it stands for, so `out` needs as much room as `raw` has bytes. */
enum tv_code tv_json_unescape(struct tv_str raw, char *out, size_t *len, struct tv_error *err)
{
    static const char escapes[][2] = {{'"', '"'},  {'\\', '\\'}, {'/', '/'},  {'b', '\b'},
                                      {'f', '\f'}, {'n', '\n'},  {'r', '\r'}, {'t', '\t'}};
    *len = 0;
    for (size_t i = 0; i < raw.len; i++) {
        size_t k = 0;
        uint32_t code = 0;
        if (raw.at[i] != '\\') {
            out[(*len)++] = raw.at[i];
            continue;
        }
        if (++i < raw.len && raw.at[i] == 'u') {
            TV_TRY(take_unicode(raw, &i, &code, err));
            *len += put_character(out + *len, code);
            continue;
        }
        while (k < TV_COUNT_OF(escapes) && (i >= raw.len || escapes[k][0] != raw.at[i]))
            k++;
        if (k == TV_COUNT_OF(escapes))
            return fail_escape(err);
        out[(*len)++] = escapes[k][1];
    }
    return TV_OK;
}
