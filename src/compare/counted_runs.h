/*
 * The counts of several runs on the way to a call lockfile (compare/call_lock.h): how often each
 * method was called, which methods a mapping says were inlined into those that were called, and of
 * which build the names are.
 */
#ifndef TV_COMPARE_COUNTED_RUNS_H
#define TV_COMPARE_COUNTED_RUNS_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "compare/call_counts.h"
#include "compare/call_lock.h"
#include "compare/comparison.h"
#include "compare/method_join.h"
#include "index/index.h"

struct tv_counted_runs {
    struct tv_join join;
    struct tv_join inlined;
    struct tv_lost_runs lost; /* its builds alone are used */
};

void tv_counted_runs_init(struct tv_counted_runs *runs, const struct tv_alloc *alloc);
void tv_counted_runs_release(struct tv_counted_runs *runs);
void tv_counted_runs_begin(struct tv_counted_runs *runs, size_t count);
/* Counts a run, the next one, of the file. Errors are those of tv_call_counts_make. */
enum tv_code tv_counted_runs_add(struct tv_counted_runs *runs, size_t run,
                                 const struct tv_index *index,
                                 const struct tv_call_counts_opts *opts, struct tv_str file,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Makes the lock of all runs. TV_ERR_UNSUPPORTED: they have short names of several builds. */
enum tv_code tv_counted_runs_lock(struct tv_counted_runs *runs,
                                  const struct tv_lock_subject *subject, struct tv_call_lock *lock,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
