/*
 * A reader of one line of JSON; see retrace/metadata.h. Only strings of the outermost object are
 * wanted, so all other values are walked over with a count of their depth, and nothing recurs or is
 * kept. The grammar is RFC 8259's, with single quotes and keys without quotes besides, which R8's
 * documentation and other tools write and R8 reads.
 */
#include "retrace/metadata.h"

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "retrace/member_line.h"

#define DEEPEST 64u

struct scanner {
    struct tv_str text;
    size_t at;
};

static inline void skip_blanks(struct scanner *scanner)
{
    while (scanner->at < scanner->text.len && tv_is_blank(scanner->text.at[scanner->at]))
        scanner->at++;
}

/* The next character that is no blank; 0 at the end. */
static inline char peek(struct scanner *scanner)
{
    skip_blanks(scanner);
    return scanner->at < scanner->text.len ? scanner->text.at[scanner->at] : 0;
}

static bool take(struct scanner *scanner, char wanted)
{
    if (!wanted || peek(scanner) != wanted)
        return false;
    scanner->at++;
    return true;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* A string as it is written, without its quotes. */
static bool take_string(struct scanner *scanner, struct tv_str *string)
{
    const char quote = peek(scanner);
    if (!is_quote(quote))
        return false;
    size_t first = ++scanner->at;
    const size_t left = scanner->text.len - first;
    const char *end = left ? memchr(scanner->text.at + first, quote, left) : NULL;
    if (!end)
        return false;
    const size_t len = (size_t)(end - (scanner->text.at + first));
    if (!len || !memchr(scanner->text.at + first, '\\', len)) { /* nearly all strings */
        *string = (struct tv_str){scanner->text.at + first, len};
        scanner->at = first + len + 1;
        return true;
    }
    for (; scanner->at < scanner->text.len; scanner->at++) {
        char c = scanner->text.at[scanner->at];
        if (c == quote) {
            *string = (struct tv_str){scanner->text.at + first, scanner->at++ - first};
            return true;
        }
        if (c == '\\')
            scanner->at++; /* what it escapes ends no string */
    }
    return false;
}

/* true, false, null or a number: anything that has no other end than a comma or a bracket. */
static bool skip_word(struct scanner *scanner)
{
    size_t first = scanner->at;
    while (scanner->at < scanner->text.len &&
           !strchr(",:[]{}\"' \t\r", scanner->text.at[scanner->at]))
        scanner->at++;
    return scanner->at > first;
}

/* Walks over a value, however its brackets nest. */
static bool skip_value(struct scanner *scanner)
{
    char closing[DEEPEST];
    unsigned depth = 0;
    do {
        struct tv_str string;
        char c = peek(scanner);
        if (c == '{' || c == '[') {
            if (depth == DEEPEST)
                return false;
            closing[depth++] = c == '{' ? '}' : ']';
            scanner->at++;
        } else if (depth && (c == ',' || c == ':')) {
            scanner->at++;
        } else if (depth && take(scanner, closing[depth - 1])) {
            depth--;
        } else if (is_quote(c) ? !take_string(scanner, &string) : !skip_word(scanner)) {
            return false;
        }
    } while (depth);
    return true;
}

static enum tv_metadata_kind kind_of(struct tv_str id)
{
    static const struct {
        struct tv_str id;
        enum tv_metadata_kind kind;
    } known[] = {
        {{"com.android.tools.r8.mapping", 28}, TV_METADATA_VERSION},
        {{"com.android.tools.r8.synthesized", 32}, TV_METADATA_SYNTHESIZED},
        {{"com.android.tools.r8.residualsignature", 38}, TV_METADATA_RESIDUAL_SIGNATURE},
        {{"com.android.tools.r8.rewriteFrame", 33}, TV_METADATA_REWRITE_FRAME},
        {{"com.android.tools.r8.outline", 28}, TV_METADATA_OUTLINE},
        {{"com.android.tools.r8.outlineCallsite", 36}, TV_METADATA_OUTLINE_CALLSITE},
    };
    for (size_t i = 0; i < TV_COUNT_OF(known); i++) {
        if (tv_str_equal(id, known[i].id))
            return known[i].kind;
    }
    return TV_METADATA_OTHER;
}

/* The strings of the outermost object that mean something here. */
struct strings {
    struct tv_str id, version, signature;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A key in quotes, or a word. */
static bool take_key(struct scanner *scanner, struct tv_str *key)
{
    if (is_quote(peek(scanner)))
        return take_string(scanner, key);
    size_t first = scanner->at;
    while (scanner->at < scanner->text.len && is_letter(scanner->text.at[scanner->at]))
        scanner->at++;
    *key = (struct tv_str){scanner->text.at + first, scanner->at - first};
    return key->len;
}

static bool take_member(struct scanner *scanner, struct strings *strings)
{
    struct tv_str key;
    if (!take_key(scanner, &key) || !take(scanner, ':'))
        return false;
    struct tv_str *wanted = tv_str_equal(key, TV_STR("id"))          ? &strings->id
                            : tv_str_equal(key, TV_STR("version"))   ? &strings->version
                            : tv_str_equal(key, TV_STR("signature")) ? &strings->signature
                                                                     : NULL;
    if (!wanted || !is_quote(peek(scanner)))
        return skip_value(scanner);
    return take_string(scanner, wanted) && !(wanted->len && memchr(wanted->at, '\\', wanted->len));
}

static bool take_object(struct scanner *scanner, struct strings *strings)
{
    if (!take(scanner, '{'))
        return false;
    do {
        if (!take_member(scanner, strings))
            return false;
    } while (take(scanner, ','));
    return take(scanner, '}') && !peek(scanner);
}

bool tv_metadata_parse(struct tv_str comment, struct tv_metadata *metadata)
{
    struct strings strings = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    if (!comment.len || comment.at[0] != '#')
        comment = tv_str_trim(comment);
    if (comment.len && comment.at[0] == '#')
        comment = (struct tv_str){comment.at + 1, comment.len - 1};
    struct scanner scanner = {.text = comment};
    if (!take_object(&scanner, &strings) || !strings.id.len)
        return false;
    enum tv_metadata_kind kind = kind_of(strings.id);
    *metadata = (struct tv_metadata){
        .kind = kind, .text = kind == TV_METADATA_VERSION ? strings.version : strings.signature};
    return true;
}
