/*
 * The meaning of parameters in a trace; see api/query.h. What the command refuses, too,
 * is worded in analysis/question/scope.c and selection/method_by_name.c; worded here is what a
 * query alone can have: its spelling, and ids.
 */
#include "api/query.h"

#include "analysis/question/idle_threads.h"
#include "analysis/selection/method_by_name.h"
#include "api/set_query.h"
#include "base/error.h"

enum tv_code tv_query_thread_of_id(const struct tv_index *index, uint64_t id, uint32_t *thread_ix,
                                   struct tv_error *err)
{
    *thread_ix = id > UINT32_MAX ? TV_NONE : tv_index_thread_of_id(index, (uint32_t)id);
    if (*thread_ix == TV_NONE)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no thread has the id %llu",
                       (unsigned long long)id);
    return TV_OK;
}

/* Threads are marked by id and listed by ordinal, so a thread that is named twice counts once. Ids
 * are what the page shows and links hold; ordinals would name other threads after the trace was
 * recorded anew. */
static enum tv_code take_threads(const struct tv_params *params, const struct tv_index *index,
                                 struct tv_scope *scope, struct tv_error *err)
{
    uint64_t *ids = NULL;
    size_t id_count = 0;
    uint8_t *is_chosen;
    struct tv_str text;
    if (!tv_params_find(params, "threads", &text))
        return TV_OK;
    TV_TRY(tv_params_list(params, "threads", ',', &ids, &id_count, err));
    if (!id_count)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "threads must be ids separated by commas");
    TV_TRY(tv_arena_take(params->arena, index->thread_count, &is_chosen, err));
    for (size_t i = 0; i < id_count; i++) {
        uint32_t thread_ix;
        TV_TRY(tv_query_thread_of_id(index, ids[i], &thread_ix, err));
        is_chosen[thread_ix] = 1;
    }
    return tv_scope_take_threads(scope, index, is_chosen, params->arena, err);
}

/* An end that is not given is that of the axis. */
static enum tv_code take_range(const struct tv_params *params, const struct tv_index *index,
                               struct tv_scope *scope, struct tv_error *err)
{
    uint64_t from_ns = 0;
    uint64_t to_ns = tv_axis_len_ns(index);
    TV_TRY(tv_params_u64(params, "from", 0, INT64_MAX, &from_ns, err));
    TV_TRY(tv_params_u64(params, "to", 0, INT64_MAX, &to_ns, err));
    return tv_scope_take_range(scope, index, from_ns, to_ns, err);
}

/* An empty pattern asks for all methods, as a search that nothing was typed into. */
static enum tv_code take_methods(const struct tv_params *params,
                                 struct tv_method_filter_opts *methods, struct tv_error *err)
{
    struct tv_str *pattern;
    TV_TRY(tv_arena_take(params->arena, sizeof(*pattern), &pattern, err));
    methods->patterns = pattern;
    methods->pattern_count = tv_params_find(params, "match", pattern) && pattern->len;
    (void)tv_params_find(params, "hide", &methods->hidden);
    (void)tv_params_find(params, "drop", &methods->dropped);
    return TV_OK;
}

enum tv_code tv_query_ranks(const struct tv_params *params, const struct tv_index *index,
                            const uint64_t *ranks, size_t count, uint32_t **methods,
                            struct tv_error *err)
{
    TV_TRY(tv_arena_take(params->arena, count * sizeof(**methods), methods, err));
    for (size_t i = 0; i < count; i++)
        TV_TRY(tv_method_by_rank(index, ranks[i], &(*methods)[i], err));
    return TV_OK;
}

static enum tv_code take_call(const struct tv_index *index, uint32_t thread_ix, uint64_t depth,
                              uint64_t ordinal, struct tv_call_ref *ref, struct tv_error *err)
{
    *ref = depth > UINT32_MAX ? TV_NO_CALL : tv_call_at(index, thread_ix, (uint32_t)depth, ordinal);
    return tv_call_is(*ref)
               ? TV_OK
               : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "the thread has no such call");
}

enum tv_code tv_query_call_text(struct tv_str text, const char *name, const struct tv_index *index,
                                struct tv_call_ref *ref, struct tv_error *err)
{
    struct tv_str part;
    uint64_t place[3];
    size_t count = 0;
    uint32_t thread_ix;
    while (count < 3 && tv_str_split(&text, '.', &part) && tv_str_to_u64(part, 10, &place[count]))
        count++;
    if (count < 3 || text.at)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s is no call: thread, depth and number, as in \"1.0.7\"", name);
    TV_TRY(tv_query_thread_of_id(index, place[0], &thread_ix, err));
    return take_call(index, thread_ix, place[1], place[2], ref, err);
}

enum tv_code tv_query_call_of(const struct tv_params *params, const char *name,
                              const struct tv_index *index, struct tv_call_ref *ref,
                              struct tv_error *err)
{
    struct tv_str text;
    if (!tv_params_find(params, name, &text))
        return tv_params_missing(name, err);
    return tv_query_call_text(text, name, index, ref, err);
}

/* The clock is checked last because it may be refused for the trace: a trace of CPU time alone has
 * no wait. Range and threads do not depend on it. */
enum tv_code tv_query_scope(const struct tv_params *params, const struct tv_index *index,
                            struct tv_scope *scope, struct tv_error *err)
{
    tv_scope_init(scope, index);
    unsigned measure = (unsigned)scope->measure;
    TV_TRY(take_range(params, index, scope, err));
    TV_TRY(take_threads(params, index, scope, err));
    TV_TRY(tv_params_choice(params, "clock", tv_measure_words, TV_MEASURE_COUNT, &measure, err));
    TV_TRY(take_methods(params, &scope->methods, err));
    TV_TRY(tv_query_set(params, index, scope, err));
    return tv_scope_take_measure(scope, index, (enum tv_measure)measure, err);
}

enum tv_code tv_query_idle(const struct tv_params *params, const struct tv_index *index,
                           struct tv_scope *scope, struct tv_error *err)
{
    static const char *const words[] = {"counted", "apart"};
    unsigned choice = 0;
    TV_TRY(tv_params_choice(params, "idle", words, TV_COUNT_OF(words), &choice, err));
    return choice ? tv_scope_leave_idle(scope, index, params->arena, err) : TV_OK;
}

/* Takes a sort by one of the first `key_count` keys, `key` by default. */
static enum tv_code take_sort(const struct tv_params *params, const struct tv_index *index,
                              enum tv_sort_key key, unsigned key_count, enum tv_measure measure,
                              struct tv_profile_sort *sort, struct tv_error *err)
{
    unsigned key_word = (unsigned)key;
    unsigned measure_word = (unsigned)measure;
    TV_TRY(tv_params_choice(params, "sort", tv_inverted_sort_words, key_count, &key_word, err));
    unsigned order = (unsigned)tv_sort_default_order((enum tv_sort_key)key_word);
    TV_TRY(tv_params_choice(params, "order", tv_order_words, TV_ORDER_COUNT, &order, err));
    TV_TRY(tv_params_choice(params, "by", tv_measure_words, TV_MEASURE_COUNT, &measure_word, err));
    *sort = (struct tv_profile_sort){.key = (enum tv_sort_key)key_word,
                                     .measure = (enum tv_measure)measure_word,
                                     .order = (enum tv_order)order};
    return tv_measure_check(index, sort->measure, err);
}

enum tv_code tv_query_sort(const struct tv_params *params, const struct tv_index *index,
                           enum tv_sort_key key, enum tv_measure measure,
                           struct tv_profile_sort *sort, struct tv_error *err)
{
    return take_sort(params, index, key, TV_SORT_KEY_COUNT, measure, sort, err);
}

enum tv_code tv_query_tree_sort(const struct tv_params *params, const struct tv_index *index,
                                enum tv_call_tree_direction direction, enum tv_measure measure,
                                struct tv_profile_sort *sort, struct tv_error *err)
{
    unsigned key_count = direction == TV_INVERTED ? TV_SORT_INVERTED_KEY_COUNT : TV_SORT_KEY_COUNT;
    return take_sort(params, index, TV_SORT_INCLUSIVE, key_count, measure, sort, err);
}

enum tv_code tv_query_cut(const struct tv_params *params, double *share, struct tv_error *err)
{
    double percent = *share * 100;
    TV_TRY(tv_params_decimal(params, "cut", &percent, err));
    if (percent > 100)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "cut must be a percentage up to 100");
    *share = percent / 100;
    return TV_OK;
}

enum tv_code tv_query_slice(const struct tv_params *params, struct tv_table_slice *slice,
                            struct tv_error *err)
{
    TV_TRY(tv_params_u64(params, "offset", 0, UINT32_MAX, &slice->offset, err));
    return tv_params_u64(params, "n", 0, UINT32_MAX, &slice->count, err);
}

/* A path names methods by rank, as every answer does, so the page need not know ordinals of
 * methods. */
enum tv_code tv_query_branch(const struct tv_params *params, const struct tv_index *index,
                             size_t path_limit, struct tv_branch *branch, struct tv_error *err)
{
    uint64_t *ranks = NULL;
    size_t count = 0;
    uint32_t *methods;
    bool is_inverted = false;
    TV_TRY(tv_params_list(params, "path", '.', &ranks, &count, err));
    if (count > path_limit)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a path of %zu methods; at most %zu",
                       count, path_limit);
    TV_TRY(tv_query_ranks(params, index, ranks, count, &methods, err));
    TV_TRY(tv_params_truth(params, "inverted", &is_inverted, err));
    *branch = (struct tv_branch){
        .direction = is_inverted ? TV_INVERTED : TV_TOP_DOWN, .path = methods, .path_len = count};
    return TV_OK;
}

enum tv_code tv_query_method(const struct tv_params *params, const char *name,
                             const struct tv_index *index, uint32_t *method_ix,
                             struct tv_error *err)
{
    struct tv_str text;
    if (!tv_params_find(params, name, &text) || !text.len)
        return tv_params_missing(name, err);
    return tv_method_by_name(index, text, params->arena->alloc, method_ix, NULL, err);
}

enum tv_code tv_query_run_method(const struct tv_params *params, const char *name,
                                 const struct tv_index *index, struct tv_run_method *method,
                                 uint32_t *method_ix, struct tv_error *err)
{
    struct tv_str text;
    *method_ix = TV_NONE;
    if (!tv_params_find(params, name, &text))
        return TV_OK;
    TV_TRY(tv_query_method(params, name, index, method_ix, err));
    return tv_run_method_check(method, index, text, *method_ix, err);
}

enum tv_code tv_query_thread(const struct tv_params *params, const struct tv_index *index,
                             uint32_t *thread_ix, struct tv_error *err)
{
    struct tv_str text;
    uint64_t id = 0;
    if (!tv_params_find(params, "thread", &text))
        return tv_params_missing("thread", err);
    TV_TRY(tv_params_u64(params, "thread", 0, UINT32_MAX, &id, err));
    return tv_query_thread_of_id(index, id, thread_ix, err);
}

/* All three parts are needed: a call has no number of its own, only a place. */
enum tv_code tv_query_call(const struct tv_params *params, const struct tv_index *index,
                           struct tv_call_ref *ref, struct tv_error *err)
{
    struct tv_str text;
    uint32_t thread_ix;
    uint64_t depth = 0;
    uint64_t ordinal = 0;
    TV_TRY(tv_query_thread(params, index, &thread_ix, err));
    if (!tv_params_find(params, "depth", &text))
        return tv_params_missing("depth", err);
    if (!tv_params_find(params, "call", &text))
        return tv_params_missing("call", err);
    TV_TRY(tv_params_u64(params, "depth", 0, UINT32_MAX, &depth, err));
    TV_TRY(tv_params_u64(params, "call", 0, INT64_MAX, &ordinal, err));
    return take_call(index, thread_ix, depth, ordinal, ref, err);
}
