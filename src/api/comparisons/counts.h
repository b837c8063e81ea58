/* How often methods were called, beside a call lockfile: the route `counts`, and
 * `traceview counts --check --json`. */
#ifndef TV_API_COMPARISONS_COUNTS_H
#define TV_API_COMPARISONS_COUNTS_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "compare/call_lock.h"
#include "compare/lock_change.h"

/* Writes what differs from `locked`, which is of the file `of`. Differences for which there is no
 * room within `limit` bytes are left out and counted. */
enum tv_code tv_answer_lock_changes(const struct tv_lock_changes *changes,
                                    const struct tv_call_lock *locked, struct tv_str of,
                                    struct tv_buffer *body, size_t limit,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
