/*
 * The parameters of a request as text: percent-decoded, known to the route, each given at most
 * once, and read as numbers and words. What they mean in a trace is told by api/query.h.
 *
 * A value that makes no sense is TV_ERR_ARGUMENT with a line that says what was expected. Values
 * live as long as the arena of the request.
 */
#ifndef TV_API_PARAMS_H
#define TV_API_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"

#define TV_PARAM_LIMIT 32u

struct tv_param {
    struct tv_str name;
    struct tv_str value;
};

struct tv_params {
    struct tv_arena *arena;
    struct tv_param of[TV_PARAM_LIMIT];
    size_t count;
};

/* Splits and decodes `query`, in which "+" is a space. `known` lists the names that the route
 * takes, one with "_" at its end standing for all that begin with it, and ends with NULL; `known`
 * NULL: whoever asks looks at each name. */
enum tv_code tv_params_parse(struct tv_params *params, struct tv_arena *arena, struct tv_str query,
                             const char *const *known, struct tv_error *err) TV_MUST_CHECK;

/* Whether the parameter was given, and its value; an empty value counts as given. */
bool tv_params_find(const struct tv_params *params, const char *name, struct tv_str *value);

/* These read one parameter each, and leave *value as it is where the parameter was not given. */

/* A whole number from `least` to `most`. */
enum tv_code tv_params_u64(const struct tv_params *params, const char *name, uint64_t least,
                           uint64_t most, uint64_t *value, struct tv_error *err) TV_MUST_CHECK;
/* 0 or 1. */
enum tv_code tv_params_truth(const struct tv_params *params, const char *name, bool *value,
                             struct tv_error *err) TV_MUST_CHECK;
/* A decimal number of at least 0: "2.5". */
enum tv_code tv_params_decimal(const struct tv_params *params, const char *name, double *value,
                               struct tv_error *err) TV_MUST_CHECK;
/* One of the words; *choice is its position. */
enum tv_code tv_params_choice(const struct tv_params *params, const char *name,
                              const char *const *words, size_t word_count, unsigned *choice,
                              struct tv_error *err) TV_MUST_CHECK;
/* A list of whole numbers; *values is in the arena. */
enum tv_code tv_params_list(const struct tv_params *params, const char *name, char separator,
                            uint64_t **values, size_t *count, struct tv_error *err) TV_MUST_CHECK;
/* Reads a list of whole numbers from a text, which is a part of the parameter `name`. */
enum tv_code tv_params_numbers(const struct tv_params *params, const char *name, struct tv_str text,
                               char separator, uint64_t **values, size_t *count,
                               struct tv_error *err) TV_MUST_CHECK;
/* Decodes %41 and "+" of a text into the arena; it may hold any byte then. */
enum tv_code tv_params_decode(struct tv_arena *arena, struct tv_str raw, struct tv_str *out,
                              struct tv_error *err) TV_MUST_CHECK;

/* TV_ERR_ARGUMENT: the parameter is missing. */
enum tv_code tv_params_missing(const char *name, struct tv_error *err);

#endif
