/*
 * What the parameters of a request mean in a trace: scopes, orders, slices of rows, methods,
 * threads and places in the tree. A route builds the struct of its question from these. The command
 * builds the same structs from its options (cli/answers/question.h), and then both ask the same
 * function of analysis.
 *
 * A value that names nothing in the trace is TV_ERR_NOT_FOUND, one that makes no sense
 * TV_ERR_ARGUMENT, each with a line that says why. Lists are in the arena of the parameters.
 */
#ifndef TV_API_QUERY_H
#define TV_API_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/profile/profile.h"
#include "analysis/question/scope.h"
#include "analysis/tree/call_tree.h"
#include "api/params.h"
#include "base/compiler.h"
#include "base/error.h"
#include "compare/run_part.h"
#include "index/index.h"

/* The names that the functions below read, for the list of a route; those that take `drop` list it,
 * too. */
#define TV_SCOPE_PARAMS "from", "to", "threads", "clock", "match", "hide", "calls"
/* What tv_query_idle reads besides. */
#define TV_IDLE_PARAMS "idle"
#define TV_SORT_PARAMS "sort", "by", "order"
#define TV_SLICE_PARAMS "offset", "n"
#define TV_BRANCH_PARAMS "path", "inverted"
#define TV_PLACE_PARAMS "thread", "depth", "call"

enum tv_code tv_query_scope(const struct tv_params *params, const struct tv_index *index,
                            struct tv_scope *scope, struct tv_error *err) TV_MUST_CHECK;
/* Takes idle threads out of the scope where `idle` is "apart" (analysis/question/idle_threads.h).
 */
enum tv_code tv_query_idle(const struct tv_params *params, const struct tv_index *index,
                           struct tv_scope *scope, struct tv_error *err) TV_MUST_CHECK;
/* The sort by `key` unless `sort` is given, on `measure` unless `by` is given, in the key's default
 * order unless `order` is given. */
enum tv_code tv_query_sort(const struct tv_params *params, const struct tv_index *index,
                           enum tv_sort_key key, enum tv_measure measure,
                           struct tv_profile_sort *sort, struct tv_error *err) TV_MUST_CHECK;
/* The sort of a tree by the parameters `sort`, `by` and `order`; an inverted tree has one key more.
 */
enum tv_code tv_query_tree_sort(const struct tv_params *params, const struct tv_index *index,
                                enum tv_call_tree_direction direction, enum tv_measure measure,
                                struct tv_profile_sort *sort, struct tv_error *err) TV_MUST_CHECK;
/* The share that `cut` gives in percent; leaves it as it is where `cut` is not given. */
enum tv_code tv_query_cut(const struct tv_params *params, double *share,
                          struct tv_error *err) TV_MUST_CHECK;
/* Leaves *slice as it is where `offset` and `n` are not given. */
enum tv_code tv_query_slice(const struct tv_params *params, struct tv_table_slice *slice,
                            struct tv_error *err) TV_MUST_CHECK;

/* A place in the tree: below a path of methods, top-down or inverted. */
struct tv_branch {
    enum tv_call_tree_direction direction;
    const uint32_t *path; /* ordinals of methods */
    size_t path_len;
};

/* `path` holds the ranks of at most `path_limit` methods, separated by points. */
enum tv_code tv_query_branch(const struct tv_params *params, const struct tv_index *index,
                             size_t path_limit, struct tv_branch *branch,
                             struct tv_error *err) TV_MUST_CHECK;
/* The method that the parameter names, as tv_method_by_name takes it. The parameter must be there.
 */
enum tv_code tv_query_method(const struct tv_params *params, const char *name,
                             const struct tv_index *index, uint32_t *method_ix,
                             struct tv_error *err) TV_MUST_CHECK;
/* The method that the parameter names in one of several traces; it has to be one method in all of
 * them. TV_NONE: the parameter is not there. */
enum tv_code tv_query_run_method(const struct tv_params *params, const char *name,
                                 const struct tv_index *index, struct tv_run_method *method,
                                 uint32_t *method_ix, struct tv_error *err) TV_MUST_CHECK;
/* The ordinal of the thread with this id. */
enum tv_code tv_query_thread_of_id(const struct tv_index *index, uint64_t id, uint32_t *thread_ix,
                                   struct tv_error *err) TV_MUST_CHECK;

/* The ordinal of the thread whose id `thread` gives. */
enum tv_code tv_query_thread(const struct tv_params *params, const struct tv_index *index,
                             uint32_t *thread_ix, struct tv_error *err) TV_MUST_CHECK;
/* The call that one parameter names by thread, depth and number: "1.0.7". The parameter must be
 * there. */
enum tv_code tv_query_call_of(const struct tv_params *params, const char *name,
                              const struct tv_index *index, struct tv_call_ref *ref,
                              struct tv_error *err) TV_MUST_CHECK;
/* The call that a text names as "1.0.7"; messages call the text by `name`. */
enum tv_code tv_query_call_text(struct tv_str text, const char *name, const struct tv_index *index,
                                struct tv_call_ref *ref, struct tv_error *err) TV_MUST_CHECK;
/* Methods by their ranks, as every answer names them; the list is in the arena. */
enum tv_code tv_query_ranks(const struct tv_params *params, const struct tv_index *index,
                            const uint64_t *ranks, size_t count, uint32_t **methods,
                            struct tv_error *err) TV_MUST_CHECK;
/* The call in the place that `thread`, `depth` and `call` give. */
enum tv_code tv_query_call(const struct tv_params *params, const struct tv_index *index,
                           struct tv_call_ref *ref, struct tv_error *err) TV_MUST_CHECK;

#endif
