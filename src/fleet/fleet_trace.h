/*
 * A trace as questions over all traces see it: what the store says of it, and its rows. Builds have
 * an order: by number where all of an app are numbers, such as 417 or 2.10.3, else by when the
 * first trace of each came.
 */
#ifndef TV_FLEET_FLEET_TRACE_H
#define TV_FLEET_FLEET_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "fleet/rows_db.h"

/* All that is borrowed outlives the question. Figures are 0 where the trace has none. */
struct tv_fleet_trace {
    struct tv_str id;
    struct tv_str app, build, device, android; /* labels; empty: it has none */
    int64_t created;
    uint64_t duration_ns, worst_frame_ns, startup_ns;
    struct tv_fleet_run_key key;    /* of its rows */
    const struct tv_fleet_run *run; /* NULL: its rows are not made yet, or not looked for */
};

struct tv_fleet_build {
    struct tv_str name;
    const struct tv_fleet_trace **traces; /* the newest first */
    size_t count;
    int64_t first, last; /* when its first and its last trace came */
};

struct tv_fleet_builds {
    struct tv_fleet_build *of; /* the oldest first */
    size_t count;
    bool is_by_number;
};

/* Compares two names of builds that are numbers with dots between; a name that is none has its
 * place behind them. */
int tv_build_compare_numbers(struct tv_str a, struct tv_str b);
/* Whether a name is numbers with dots between, and may begin with v. */
bool tv_build_is_number(struct tv_str name);
/* The builds of an app. Traces without a build are none of them. The arena keeps the builds; the
 * traces, which stand with the newest first, are borrowed. */
enum tv_code tv_fleet_builds_find(struct tv_fleet_builds *builds,
                                  const struct tv_fleet_trace *traces, size_t count,
                                  struct tv_str app, struct tv_arena *arena,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
