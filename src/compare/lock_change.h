/*
 * What differs between a call lockfile and the counts of runs, method by method
 * (compare/call_lock.h says what a change is). Changes belong to one thread at a time.
 */
#ifndef TV_COMPARE_LOCK_CHANGE_H
#define TV_COMPARE_LOCK_CHANGE_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "compare/call_lock.h"

/* "same", "changed", "new", "gone", "stray", "inlined", by enum tv_lock_change. */
extern const char *const tv_lock_change_words[];

/* A method that differs; a line that one of both lacks is NULL. Lines are those of the locks. */
struct tv_lock_difference {
    enum tv_lock_change change; /* never TV_LOCK_SAME */
    const struct tv_lock_line *locked;
    const struct tv_lock_line *run;
};

struct tv_lock_changes {
    const struct tv_alloc *alloc;
    struct tv_lock_difference *of; /* by name, bytewise */
    size_t count, cap;
    size_t broken; /* differences that are neither of these: */
    size_t strays;
    size_t inlined;
};

void tv_lock_changes_init(struct tv_lock_changes *changes, const struct tv_alloc *alloc);
void tv_lock_changes_release(struct tv_lock_changes *changes);
/* Finds the differences. Both locks must outlive `changes`. After a failure, `changes` may hold
 * some of the differences; releasing it is safe. */
enum tv_code tv_lock_changes_find(struct tv_lock_changes *changes,
                                  const struct tv_call_lock *locked,
                                  const struct tv_call_lock *runs,
                                  struct tv_error *err) TV_MUST_CHECK;
/* How many methods have a range of counts in the lock and a single count in `runs`, where these are
 * fewer runs than those of the lock. A lock that is written from `runs` would lose the ranges, and
 * the next check would report usual counts as changes. */
size_t tv_lock_lost_ranges(const struct tv_call_lock *locked, const struct tv_call_lock *runs);
/* The name of the method, unescaped, into `name`. */
enum tv_code tv_lock_difference_name(const struct tv_lock_difference *difference,
                                     struct tv_buffer *name, struct tv_error *err) TV_MUST_CHECK;

#endif
