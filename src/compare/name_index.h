/*
 * The methods of a join by their whole names, so that a rule finds those of its pattern without a
 * look at all others: a pattern's text before its first star leads to the names that begin with it.
 */
#ifndef TV_COMPARE_NAME_INDEX_H
#define TV_COMPARE_NAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "compare/method_join.h"

struct tv_indexed_name {
    struct tv_str whole; /* with the signature */
    size_t plain_len;    /* of the name without it */
    uint32_t method;     /* place in the join */
};

struct tv_name_index {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    struct tv_indexed_name *of; /* by name, bytewise */
    size_t count;
};

/* Methods that were found: the memory is used again by the next search. */
struct tv_found_methods {
    const struct tv_alloc *alloc;
    uint32_t *of; /* places in the join */
    size_t count, cap;
};

void tv_name_index_init(struct tv_name_index *names, const struct tv_alloc *alloc);
void tv_name_index_release(struct tv_name_index *names);
/* Makes the index of a finished join, which is not needed afterwards. */
enum tv_code tv_name_index_make(struct tv_name_index *names, const struct tv_join *join,
                                struct tv_error *err) TV_MUST_CHECK;
/* Replaces `found` by the methods whose name, with or without its signature, is of the pattern. */
enum tv_code tv_name_index_find(const struct tv_name_index *names, struct tv_str pattern,
                                struct tv_found_methods *found, struct tv_error *err) TV_MUST_CHECK;

#endif
