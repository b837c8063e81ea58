/*
 * Names of methods as Java writes them; see analysis/selection/java_text.h. The descriptors of a
 * signature are those of the class file format (JVMS 4.3): "[I" is an array of int,
 * "Ljava/lang/String;" a class.
 */
#include "analysis/selection/java_text.h"

#include <stdbool.h>

#include "analysis/selection/names.h"
#include "base/error.h"
#include "base/names/descriptor.h"
#include "base/str.h"

static enum tv_code add(struct tv_buffer *out, struct tv_str text, struct tv_error *err)
{
    return tv_buffer_append(out, text.at, text.len, err);
}

/* The name of a class without its package. */
static struct tv_str simple_name(struct tv_str class)
{
    size_t at = class.len;
    while (at && class.at[at - 1] != '/' && class.at[at - 1] != '.')
        at--;
    return (struct tv_str){class.at + at, class.len - at};
}

/* Takes a type from the front of a signature, with the simple name of a class. False: there is
 * none. */
static bool take_type(struct tv_str *rest, struct tv_descriptor *type)
{
    if (!tv_descriptor_take(rest, type))
        return false;
    type->name = simple_name(type->name);
    return type->name.len > 0;
}

static enum tv_code add_type(struct tv_buffer *out, const struct tv_descriptor *type,
                             struct tv_error *err)
{
    TV_TRY(add(out, type->name, err));
    for (size_t i = 0; i < type->dimensions; i++)
        TV_TRY(add(out, TV_STR("[]"), err));
    return TV_OK;
}

/* Whether the text is types in brackets and one type behind them. */
static bool is_signature(struct tv_str text)
{
    struct tv_descriptor type;
    if (!text.len || text.at[0] != '(')
        return false;
    struct tv_str rest = {text.at + 1, text.len - 1};
    while (rest.len && rest.at[0] != ')') {
        if (!take_type(&rest, &type))
            return false;
    }
    if (!rest.len)
        return false;
    rest = (struct tv_str){rest.at + 1, rest.len - 1};
    return take_type(&rest, &type) && !rest.len;
}

/* Adds "(int, String)". */
static enum tv_code add_params(struct tv_buffer *out, struct tv_str signature, struct tv_error *err)
{
    struct tv_str rest = {signature.at + 1, signature.len - 1};
    struct tv_descriptor type;
    TV_TRY(add(out, TV_STR("("), err));
    for (bool is_first = true; rest.at[0] != ')' && take_type(&rest, &type); is_first = false) {
        if (!is_first)
            TV_TRY(add(out, TV_STR(", "), err));
        TV_TRY(add_type(out, &type, err));
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
