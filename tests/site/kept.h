/* Traces in a store of their own, with their indexes, and what answers from them. */
#ifndef TESTS_SITE_KEPT_H
#define TESTS_SITE_KEPT_H

#include "index/index.h"
#include "site/stored/stored.h"
#include "store/store.h"

#define KEPT_MOST 8u

struct kept {
    char folder[40];
    struct tv_store store;
    struct tv_stored *stored;
    struct {
        struct tv_hash raw;
        struct tv_hash index;
        struct tv_stored_trace trace;
    } of[KEPT_MOST];
    unsigned count;
};

/* A store with `count` traces, which differ in how long FOO of thread "main" lasts, 100 us times 1
 * and up, and answers with at most that many open indexes. */
void keep(struct kept *kept, unsigned count, unsigned open_most);
void release_kept(struct kept *kept);
/* Puts bytes under any name. */
void keep_bytes(struct kept *kept, const struct tv_hash *name, const void *bytes, size_t len);
/* The raw bytes of the trace of that number, in `t`. */
struct trace_builder;
void build_kept(struct trace_builder *t, unsigned number);
/* Adds a trace of any bytes, and its index. */
void keep_built(struct kept *kept, const struct trace_builder *t);

#endif
