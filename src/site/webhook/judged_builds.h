/*
 * Builds of which traces that come change no judgement any more: all but the newest of their app,
 * and the newest where it was judged for the last time, or came too long ago. A judgement looks at
 * up to 20,000 traces, and on a busy site most that come are of such builds; so what is new is
 * looked at before. One thread.
 */
#ifndef TV_SITE_WEBHOOK_JUDGED_BUILDS_H
#define TV_SITE_WEBHOOK_JUDGED_BUILDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/map.h"
#include "store/store.h"

struct tv_judged_builds {
    const struct tv_alloc *alloc;
    struct tv_map settled; /* beginning of the sum of app and build -> 1 */
    int64_t looked;        /* when the store was asked last; 0: never */
    bool is_waiting;       /* a build that is not settled has traces without rows, or failed */
};

void tv_judged_builds_init(struct tv_judged_builds *builds, const struct tv_alloc *alloc);
void tv_judged_builds_release(struct tv_judged_builds *builds);
/* Forgets all: from `now` on builds are judged anew. */
void tv_judged_builds_clear(struct tv_judged_builds *builds, int64_t now);
/* Nothing more can be found of that build. */
enum tv_code tv_judged_builds_settle(struct tv_judged_builds *builds, struct tv_str app,
                                     struct tv_str build, struct tv_error *err) TV_MUST_CHECK;
/* Whether a judgement may find something: a trace that came since the store was asked last is of a
 * build that is not settled, or such a build waits for rows. `query` says which traces count. */
enum tv_code tv_judged_builds_are_due(struct tv_judged_builds *builds, const struct tv_store *store,
                                      const struct tv_trace_query *query, int64_t now,
                                      bool *are_due, struct tv_error *err) TV_MUST_CHECK;

#endif
