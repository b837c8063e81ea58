/*
 * The parameters of a request: percent-decoded, known to the route, each at most once; and what
 * they mean.
 *
 * A value that makes no sense is TV_ERR_ARGUMENT, one that names nothing in the trace
 * TV_ERR_NOT_FOUND, each with a line that says what was expected. Values live as long as the arena
 * of the request.
 */
#ifndef TV_API_PARAMS_H
#define TV_API_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/range.h"
#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "index/index.h"

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

/* What profile-like questions share. */
struct tv_view {
    struct tv_selection selection; /* its threads are in the arena */
    enum tv_measure measure;       /* `clock` */
    struct tv_str match;           /* empty: all methods */
    struct tv_str hide;
};

/* The names that tv_params_view takes: for a route's list. */
#define TV_VIEW_PARAMS "from", "to", "threads", "clock", "match", "hide"

/* And tv_params_sort. */
#define TV_SORT_PARAMS "sort", "by", "order"

/* Splits and decodes `query`; `known` ends with NULL. "+" is a space. */
enum tv_code tv_params_parse(struct tv_params *params, struct tv_arena *arena, struct tv_str query,
                             const char *const *known, struct tv_error *err) TV_MUST_CHECK;

/* Whether the parameter was given, and its value; an empty value counts as given. */
bool tv_params_find(const struct tv_params *params, const char *name, struct tv_str *value);

/* Each leaves *value as it is when the parameter was not given. */
enum tv_code tv_params_u64(const struct tv_params *params, const char *name, uint64_t least,
                           uint64_t most, uint64_t *value, struct tv_error *err) TV_MUST_CHECK;
/* 0 or 1 */
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

/* TV_ERR_ARGUMENT: the parameter is missing. */
enum tv_code tv_params_missing(const char *name, struct tv_error *err);

/* TV_ERR_ARGUMENT: the trace lacks a clock of the measure. */
enum tv_code tv_params_has_measure(const struct tv_index *index, enum tv_measure measure,
                                   struct tv_error *err) TV_MUST_CHECK;
/* wall, cpu or wait, of clocks that the trace has. */
enum tv_code tv_params_measure(const struct tv_params *params, const char *name,
                               const struct tv_index *index, enum tv_measure *measure,
                               struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_params_view(const struct tv_params *params, const struct tv_index *index,
                            struct tv_view *view, struct tv_error *err) TV_MUST_CHECK;
/* `sort`, `by` and `order`; `key` unless `sort` is given, on the clock of the view unless `by` is.
 */
enum tv_code tv_params_sort(const struct tv_params *params, const struct tv_index *index,
                            const struct tv_view *view, enum tv_sort_key key,
                            struct tv_profile_sort *sort, struct tv_error *err) TV_MUST_CHECK;
/* A rank as text to the ordinal of its method. */
enum tv_code tv_params_rank(const struct tv_index *index, uint64_t rank, uint32_t *method_ix,
                            struct tv_error *err) TV_MUST_CHECK;
/* A path of at most `limit` methods. */
struct tv_method_path {
    const uint32_t *methods; /* ordinals, in the arena */
    size_t len;
};

/* Ranks separated by points. Absent or empty: no methods. */
enum tv_code tv_params_path(const struct tv_params *params, const char *name,
                            const struct tv_index *index, size_t limit, struct tv_method_path *path,
                            struct tv_error *err) TV_MUST_CHECK;
/* `name` as a rank, an id "0x...", or a whole name ("class.name signature", or "class.name" where
 * only one has it). */
enum tv_code tv_params_method(const struct tv_params *params, const char *name,
                              const struct tv_index *index, uint32_t *method_ix,
                              struct tv_error *err) TV_MUST_CHECK;
/* A thread's id to its ordinal. */
enum tv_code tv_params_thread_of_id(const struct tv_index *index, uint64_t id, uint32_t *thread_ix,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
