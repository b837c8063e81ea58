/*
 * Threads that had nothing to do: left out of answers about waiting, and told apart.
 *
 * A pool of workers that waits for work outranks every wait that somebody waited for. A thread is
 * idle in a range when it waited for nine tenths or more of the time that its calls take there. The
 * main thread never is: the user waits with it. Whoever chooses threads gets them as they are.
 */
#ifndef TV_ANALYSIS_QUESTION_IDLE_THREADS_H
#define TV_ANALYSIS_QUESTION_IDLE_THREADS_H

#include <stdint.h>

#include "analysis/question/scope.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "index/index.h"

#define TV_IDLE_PERCENT 90u

/* Takes the idle threads out of a scope about wait that has all threads, and lists them in
 * scope->idle, the longest wait first. Where no other thread has calls in the range, the scope
 * stays as it is; so does a scope about another measure. The lists live in the arena. */
enum tv_code tv_scope_leave_idle(struct tv_scope *scope, const struct tv_index *index,
                                 struct tv_arena *arena, struct tv_error *err) TV_MUST_CHECK;

#endif
