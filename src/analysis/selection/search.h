/*
 * Search: which methods a pattern finds, best first, and how many calls they have in each thread.
 *
 * Best are methods whose name is the pattern, then those whose name begins with it, then the
 * others, each by rank; for an expression all by rank. Only methods that have calls are found.
 */
#ifndef TV_ANALYSIS_SELECTION_SEARCH_H
#define TV_ANALYSIS_SELECTION_SEARCH_H

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
    uint64_t calls;         /* of all of them, recursive ones too */
    uint64_t *thread_calls; /* one per thread */
};

void tv_search_init(struct tv_search *search, const struct tv_alloc *alloc);
void tv_search_release(struct tv_search *search);
/* `pattern` as tv_match_compile takes it. */
enum tv_code tv_search_run(struct tv_search *search, const struct tv_index *index,
                           struct tv_str pattern, struct tv_error *err) TV_MUST_CHECK;

#endif
