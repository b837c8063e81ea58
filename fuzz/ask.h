/*
 * What the page asks of an index: every route, in many ways. The answers need only end well; that
 * they are right is what other tests are for.
 */
#ifndef TV_FUZZ_ASK_H
#define TV_FUZZ_ASK_H

#include "base/alloc.h"
#include "base/str.h"
#include "index/index.h"

/* `query` is asked of every route, too; it may be anything. */
void fuzz_ask_all(const struct tv_alloc *alloc, const struct tv_index *index, struct tv_str query);

#endif
