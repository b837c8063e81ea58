/*
 * Methods with calls, numbered; see export/tools/shown_methods.h.
 *
 * Numbers are given in the order of the index. While methods are looked for, number_of has 1 for
 * each that is shown; then these marks are replaced by the numbers.
 */
#include "export/tools/shown_methods.h"

void tv_shown_methods_init(struct tv_shown_methods *shown, const struct tv_alloc *alloc)
{
    *shown = (struct tv_shown_methods){.alloc = alloc};
}

void tv_shown_methods_release(struct tv_shown_methods *shown)
{
    tv_alloc_release(shown->alloc, &shown->number_of, shown->method_count,
                     sizeof(*shown->number_of));
    tv_alloc_release(shown->alloc, &shown->methods, shown->method_count, sizeof(*shown->methods));
}

/* Sets 1 for each method of a node that is shown. */
static void mark_methods(struct tv_shown_methods *shown, const struct tv_export_context *context)
{
    const struct tv_sums *sums = &context->stacks.sums;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            if (tv_sums_is_touched(sums, node))
                shown->number_of[sums->method[node]] = 1;
        }
    }
}

/* number_of has two meanings in turn: first whether a method is shown, then its number. So one
 * array is enough. */
enum tv_code tv_shown_methods_find(struct tv_shown_methods *shown,
                                   const struct tv_export_context *context, struct tv_error *err)
{
    shown->method_count = context->index->method_count;
    TV_TRY(tv_alloc_new(shown->alloc, &shown->number_of, shown->method_count,
                        sizeof(*shown->number_of), err));
    TV_TRY(tv_alloc_new(shown->alloc, &shown->methods, shown->method_count, sizeof(*shown->methods),
                        err));
    mark_methods(shown, context);
    for (uint32_t method = 0; method < shown->method_count; method++) {
        bool is_shown = shown->number_of[method];
        shown->number_of[method] = is_shown ? shown->count : TV_NONE;
        if (is_shown)
            shown->methods[shown->count++] = method;
    }
    return TV_OK;
}
