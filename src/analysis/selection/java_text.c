/*
 * Names of methods as Java writes them; see analysis/selection/java_text.h. The descriptors of a
 * signature are those of the class file format (JVMS 4.3): "[I" is an array of int,
 * "Ljava/lang/String;" a class.
 */
#include "analysis/selection/java_text.h"

#include <stdbool.h>
#include <string.h>

#include "analysis/selection/names.h"
#include "base/error.h"
#include "base/str.h"

static enum tv_code add(struct tv_buffer *out, struct tv_str text, struct tv_error *err)
{
    return tv_buffer_append(out, text.at, text.len, err);
}

/* The word of a type that is no class; empty: there is none. */
static struct tv_str primitive(char letter)
{
    static const struct {
        char letter;
        const char *word;
    } types[] = {
        {'Z', "boolean"}, {'B', "byte"},  {'C', "char"},   {'S', "short"}, {'I', "int"},
        {'J', "long"},    {'F', "float"}, {'D', "double"}, {'V', "void"},
    };
    for (size_t i = 0; i < TV_COUNT_OF(types); i++) {
        if (types[i].letter == letter)
            return tv_str_from(types[i].word);
    }
    return (struct tv_str){NULL, 0};
}

/* The name of a class without its package. */
static struct tv_str simple_name(struct tv_str class)
{
    size_t at = class.len;
    while (at && class.at[at - 1] != '/' && class.at[at - 1] != '.')
        at--;
    return (struct tv_str){class.at + at, class.len - at};
}

/* A type of a signature. */
struct type {
    struct tv_str name;
    size_t dimensions;
    size_t len; /* of its descriptor; 0: what stands there is none */
};

static struct type type_at(struct tv_str text)
{
    struct type type = {.len = 0};
    while (type.dimensions < text.len && text.at[type.dimensions] == '[')
        type.dimensions++;
    struct tv_str rest = {text.at + type.dimensions, text.len - type.dimensions};
    if (!rest.len)
        return type;
    if (rest.at[0] != 'L') {
        type.name = primitive(rest.at[0]);
        type.len = type.name.len ? type.dimensions + 1 : 0;
        return type;
    }
    const char *end = memchr(rest.at, ';', rest.len);
    if (!end)
        return type;
    type.name = simple_name((struct tv_str){rest.at + 1, (size_t)(end - rest.at) - 1});
    type.len = type.name.len ? type.dimensions + (size_t)(end - rest.at) + 1 : 0;
    return type;
}

static enum tv_code add_type(struct tv_buffer *out, const struct type *type, struct tv_error *err)
{
    TV_TRY(add(out, type->name, err));
    for (size_t i = 0; i < type->dimensions; i++)
        TV_TRY(add(out, TV_STR("[]"), err));
    return TV_OK;
}

static struct tv_str from(struct tv_str text, size_t at)
{
    return (struct tv_str){text.at + at, text.len - at};
}

/* Whether the text is types in brackets and one type behind them. */
static bool is_signature(struct tv_str text)
{
    size_t at = 1;
    if (!text.len || text.at[0] != '(')
        return false;
    while (at < text.len && text.at[at] != ')') {
        size_t len = type_at(from(text, at)).len;
        if (!len)
            return false;
        at += len;
    }
    return at < text.len && type_at(from(text, at + 1)).len == text.len - at - 1 &&
           at + 1 < text.len;
}

/* Adds "(int, String)". */
static enum tv_code add_params(struct tv_buffer *out, struct tv_str signature, struct tv_error *err)
{
    TV_TRY(add(out, TV_STR("("), err));
    for (size_t at = 1; signature.at[at] != ')';) {
        struct type type = type_at(from(signature, at));
        if (at > 1)
            TV_TRY(add(out, TV_STR(", "), err));
        TV_TRY(add_type(out, &type, err));
        at += type.len;
    }
    return add(out, TV_STR(")"), err);
}

enum tv_code tv_method_java_text(const struct tv_index *index, uint32_t method_ix,
                                 struct tv_buffer *out, struct tv_error *err)
{
    struct tv_str signature = tv_method_signature(index, method_ix);
    TV_TRY(tv_method_text(index, method_ix, out, err));
    if (out->len <= signature.len || !is_signature(signature))
        return TV_OK;
    out->len -= signature.len + 1; /* with the space before it */
    return add_params(out, signature, err);
}
