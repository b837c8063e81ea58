/*
 * Finding methods; see analysis/selection/method_search.h.
 *
 * Methods are gone through by rank, so those that match equally well stand in that order. Calls per
 * thread are counted from the nodes, without looking at single calls.
 */
#include "analysis/selection/method_search.h"

#include "analysis/selection/name_pattern.h"
#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"

/* Tiers of names: equal to the pattern, beginning with it, and all others. */
#define TIER_COUNT 3u

void tv_search_init(struct tv_search *search, const struct tv_alloc *alloc)
{
    *search = (struct tv_search){.alloc = alloc};
}

void tv_search_release(struct tv_search *search)
{
    tv_alloc_release(search->alloc, &search->methods, search->cap, sizeof(*search->methods));
    if (search->index)
        tv_alloc_release(search->alloc, &search->thread_calls, search->index->thread_count,
                         sizeof(*search->thread_calls));
    tv_search_init(search, search->alloc);
}

/* The tier of a method's name. For an expression, whose text begins no name, all methods are in
 * the last tier. */
static unsigned tier_of(const struct tv_index *index, uint32_t method_ix, struct tv_str pattern)
{
    struct tv_str name = tv_method_name(index, method_ix);
    enum tv_case letter_case = tv_str_has_upper(pattern) ? TV_CASE_EXACT : TV_CASE_FOLD;
    if (tv_str_find(name, pattern, letter_case) != 0)
        return 2;
    return name.len == pattern.len ? 0 : 1;
}

/* Lists the methods tier by tier. Each tier goes through all methods by rank, so no
 * sort is needed. */
static enum tv_code list_methods(struct tv_search *search, const struct tv_method_filter *filter,
                                 struct tv_str pattern, struct tv_error *err)
{
    const struct tv_index *index = search->index;
    for (unsigned tier = 0; tier < TIER_COUNT; tier++) {
        for (uint32_t rank = 0; rank < index->info->ranked_count; rank++) {
            uint32_t method_ix = index->method_of_rank[rank];
            if (!tv_method_filter_shows(filter, method_ix) ||
                tier_of(index, method_ix, pattern) != tier)
                continue;
            TV_TRY(tv_alloc_grow(search->alloc, &search->methods, &search->cap, search->count + 1,
                                 sizeof(*search->methods), err));
            search->methods[search->count++] = method_ix;
        }
    }
    return TV_OK;
}

/* Counts the calls of the methods found, by the nodes of each thread. */
static void count_calls(struct tv_search *search, const struct tv_method_filter *filter)
{
    const struct tv_index *index = search->index;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        for (uint32_t n = 0; n < thread->node_count; n++) {
            uint32_t node = thread->node_first + n;
            if (tv_method_filter_shows(filter, index->node_method[node]))
                search->thread_calls[i] += tv_index_node_calls(index, node);
        }
        search->calls += search->thread_calls[i];
    }
}

/* One filter serves both steps: listing methods, and counting the calls of their nodes. */
enum tv_code tv_search_run(struct tv_search *search, const struct tv_index *index,
                           struct tv_str pattern, struct tv_error *err)
{
    struct tv_method_filter filter;
    tv_search_release(search);
    search->index = index;
    tv_method_filter_init(&filter, search->alloc);
    const struct tv_method_filter_opts opts = {.patterns = &pattern, .pattern_count = 1};
    enum tv_code code = tv_method_filter_make(&filter, index, &opts, err);
    if (code == TV_OK)
        code = tv_alloc_new(search->alloc, &search->thread_calls, index->thread_count,
                            sizeof(*search->thread_calls), err);
    if (code == TV_OK)
        code = list_methods(search, &filter, pattern, err);
    if (code == TV_OK)
        count_calls(search, &filter);
    tv_method_filter_release(&filter);
    if (code != TV_OK)
        tv_search_release(search);
    return code;
}
