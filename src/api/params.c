/*
 * Parameters of a request as text; see api/params.h.
 *
 * A query comes from a browser, so nothing in it is trusted: every name is looked up in the route's
 * list, and every number is read whole or refused. Names are compared one by one, since a route has
 * few of them.
 */
#include "api/params.h"

#include <string.h>

#include "base/error.h"
#include "base/text/percent.h"

/* The result has no NUL at its end. */
enum tv_code tv_params_decode(struct tv_arena *arena, struct tv_str raw, struct tv_str *out,
                              struct tv_error *err)
{
    char *at;
    size_t len = 0;
    TV_TRY(tv_arena_take(arena, raw.len + 1, &at, err));
    for (size_t i = 0; i < raw.len;) {
        if (!tv_percent_next(raw, &i, &at[len++]))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "%% must be followed by two hexadecimal digits");
    }
    *out = (struct tv_str){at, len};
    return TV_OK;
}

/* Whether the route takes a parameter of this name. A misspelt name would change nothing, and
 * nobody would see it. */
static bool is_known(struct tv_str name, const char *const *known)
{
    for (; *known; known++) {
        const struct tv_str one = tv_str_from(*known);
        if (tv_str_ends_with(one, TV_STR("_")) ? tv_str_starts_with(name, one)
                                               : tv_str_equal(name, one))
            return true;
    }
    return false;
}

/* Decodes one "name=value", or "name" alone, and adds it to those that were met. */
static enum tv_code add_param(struct tv_params *params, struct tv_str pair,
                              const char *const *known, struct tv_error *err)
{
    struct tv_param param = {.name = {NULL, 0}};
    struct tv_str rest = pair;
    struct tv_str name;
    if (!tv_str_split(&rest, '=', &name))
        return TV_OK;
    TV_TRY(tv_params_decode(params->arena, name, &param.name, err));
    TV_TRY(tv_params_decode(params->arena, rest, &param.value, err));
    if (known && !is_known(param.name, known))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "unknown parameter \"%.*s\"",
                       tv_str_shown_len(param.name), param.name.at);
    for (size_t i = 0; i < params->count; i++) {
        if (tv_str_equal(params->of[i].name, param.name))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "parameter \"%.*s\" is given twice",
                           tv_str_shown_len(param.name), param.name.at);
    }
    if (params->count == TV_PARAM_LIMIT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "more than %u parameters",
                       TV_PARAM_LIMIT);
    params->of[params->count++] = param;
    return TV_OK;
}

/* Empty pairs, as of "a=1&&b=2" or of an ending "&", are passed over: links that people edit have
 * them. */
enum tv_code tv_params_parse(struct tv_params *params, struct tv_arena *arena, struct tv_str query,
                             const char *const *known, struct tv_error *err)
{
    struct tv_str pair;
    *params = (struct tv_params){.arena = arena};
    while (tv_str_split(&query, '&', &pair)) {
        if (pair.len)
            TV_TRY(add_param(params, pair, known, err));
    }
    return TV_OK;
}

/* A name stands once at most, since the parser refuses a second one (add_param). There are few
 * parameters, so the list is walked. */
bool tv_params_find(const struct tv_params *params, const char *name, struct tv_str *value)
{
    for (size_t i = 0; i < params->count; i++) {
        if (tv_str_equal(params->of[i].name, tv_str_from(name))) {
            *value = params->of[i].value;
            return true;
        }
    }
    return false;
}

/* A missing parameter leaves *value as it is: the caller has put the default there. The same holds
 * for the functions below. */
enum tv_code tv_params_u64(const struct tv_params *params, const char *name, uint64_t least,
                           uint64_t most, uint64_t *value, struct tv_error *err)
{
    struct tv_str text;
    uint64_t number;
    if (!tv_params_find(params, name, &text))
        return TV_OK;
    if (!tv_str_to_u64(text, 10, &number) || number < least || number > most)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s must be a whole number from %llu to %llu, not \"%.*s\"", name,
                       (unsigned long long)least, (unsigned long long)most, tv_str_shown_len(text),
                       text.at);
    *value = number;
    return TV_OK;
}

enum tv_code tv_params_truth(const struct tv_params *params, const char *name, bool *value,
                             struct tv_error *err)
{
    uint64_t number = *value;
    TV_TRY(tv_params_u64(params, name, 0, 1, &number, err));
    *value = number != 0;
    return TV_OK;
}

/* A point separates the digits in every language, since a link is passed on between machines. */
enum tv_code tv_params_decimal(const struct tv_params *params, const char *name, double *value,
                               struct tv_error *err)
{
    struct tv_str text;
    if (!tv_params_find(params, name, &text))
        return TV_OK;
    if (!tv_str_to_decimal(text, value))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s must be a decimal number, not \"%.*s\"", name, tv_str_shown_len(text),
                       text.at);
    return TV_OK;
}

/* The error lists the words, so that whoever asked need not look them up. */
enum tv_code tv_params_choice(const struct tv_params *params, const char *name,
                              const char *const *words, size_t word_count, unsigned *choice,
                              struct tv_error *err)
{
    struct tv_str text;
    char list[128]; /* the words, for the error; those without room are left out */
    size_t len = 0;
    if (!tv_params_find(params, name, &text))
        return TV_OK;
    for (size_t i = 0; i < word_count; i++) {
        if (tv_str_equal(text, tv_str_from(words[i]))) {
            *choice = (unsigned)i;
            return TV_OK;
        }
        size_t word_len = strlen(words[i]);
        if (len + word_len + 1 < sizeof(list)) {
            memcpy(list + len, words[i], word_len);
            list[len + word_len] = ' ';
            len += word_len + 1;
        }
    }
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s must be one of %.*s, not \"%.*s\"", name,
                   len ? (int)len - 1 : 0, list, tv_str_shown_len(text), text.at);
}

/* Room is taken for as many values as there are separators, and one more. */
enum tv_code tv_params_numbers(const struct tv_params *params, const char *name, struct tv_str text,
                               char separator, uint64_t **values, size_t *count,
                               struct tv_error *err)
{
    struct tv_str part;
    size_t parts = 1;
    for (size_t i = 0; i < text.len; i++)
        parts += text.at[i] == separator;
    TV_TRY(tv_arena_take(params->arena, parts * sizeof(**values), values, err));
    *count = 0;
    for (struct tv_str rest = text; tv_str_split(&rest, separator, &part);) {
        if (!tv_str_to_u64(part, 10, &(*values)[*count]))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "%s must be whole numbers separated by \"%c\", not \"%.*s\"", name,
                           separator, tv_str_shown_len(part), part.at ? part.at : "");
        (*count)++;
    }
    return TV_OK;
}

enum tv_code tv_params_list(const struct tv_params *params, const char *name, char separator,
                            uint64_t **values, size_t *count, struct tv_error *err)
{
    struct tv_str text;
    if (!tv_params_find(params, name, &text) || !text.len)
        return TV_OK;
    return tv_params_numbers(params, name, text, separator, values, count, err);
}

enum tv_code tv_params_missing(const char *name, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "parameter \"%s\" is missing", name);
}
