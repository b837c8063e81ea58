/*
 * Search: which methods a pattern finds, best first, and how many calls they have in each thread.
 *
 * The best methods are those whose name is the pattern, then those whose name begins with it, then
 * all others, each by rank. Methods that an expression finds stand by rank. Only methods with calls
 * are found.
 */
#ifndef TV_ANALYSIS_SELECTION_METHOD_SEARCH_H
#define TV_ANALYSIS_SELECTION_METHOD_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "index/index.h"

struct tv_search {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    uint32_t *methods; /* ordinals, best first */
    size_t count;
    size_t cap;
    uint64_t calls;         /* of all methods found, recursive calls too */
    uint64_t *thread_calls; /* the same per thread */
};

void tv_search_init(struct tv_search *search, const struct tv_alloc *alloc);
void tv_search_release(struct tv_search *search);
/* `pattern` is as for tv_name_pattern_compile, and fails in the same way. */
enum tv_code tv_search_run(struct tv_search *search, const struct tv_index *index,
                           struct tv_str pattern, struct tv_error *err) TV_MUST_CHECK;

#endif
