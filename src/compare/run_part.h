/*
 * Which part of a run is compared: all of it, a range of time, threads of a name, what one method
 * called, or what happened on a thread between the first calls of two methods.
 *
 * Below a method, a method's inclusive time is that of its outermost calls there: a call of it that
 * contains the one that is compared does not count.
 */
#ifndef TV_COMPARE_RUN_PART_H
#define TV_COMPARE_RUN_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/profile/profile.h"
#include "analysis/selection/sums.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "index/index.h"

/* Ordinals of methods are TV_NONE where nothing is asked for; tv_run_part_all asks for nothing. */
struct tv_run_part {
    uint64_t from_ns;             /* on the axis, since the start of the trace */
    uint64_t to_ns;               /* UINT64_MAX: its end */
    const struct tv_str *threads; /* names as patterns, or ids; borrowed */
    size_t thread_count;          /* 0: all threads */
    uint32_t root;
    /* Between the first call of `first` and the first later one of `until` on its thread; with
     * nothing else. */
    uint32_t first;
    uint32_t until;
};

struct tv_run_part tv_run_part_all(void);
/* What is compared of a run. */
struct tv_run_numbers {
    struct tv_profile profile;
    struct tv_sums sums; /* that the profile was made of: what the contexts have */
    bool is_between;     /* two methods: their calls are not those of the sums, since no range of
                            time tells the calls of one moment apart */
    uint32_t root;       /* the method that it is about; TV_NONE: all */
    struct tv_arena arena;
};

/* A method that a question about several runs names, which has to be the same one in all: of
 * several builds a name in the file is that of another source method in each. */
struct tv_run_method {
    struct tv_buffer name;  /* class and name in the first run that was asked; empty: none was */
    struct tv_buffer whole; /* the whole name there, where the question has none of it but what the
                               file calls the method; else empty */
};

void tv_run_method_init(struct tv_run_method *method, const struct tv_alloc *alloc);
void tv_run_method_release(struct tv_run_method *method);
/* Takes what was found in the next run by the text that was asked for. TV_ERR_ARGUMENT: it is not
 * the method that it is in the first one. */
enum tv_code tv_run_method_check(struct tv_run_method *method, const struct tv_index *index,
                                 struct tv_str asked, uint32_t method_ix,
                                 struct tv_error *err) TV_MUST_CHECK;
/* The name for a file that is kept: that of the source, where the question has one of the build. */
TV_INLINE struct tv_str tv_run_method_source(const struct tv_run_method *method,
                                             struct tv_str asked)
{
    return method->whole.len ? tv_buffer_view(&method->whole) : asked;
}

/* Marks the threads whose name is of a pattern, which is not empty, and returns how many they are.
 * marks[ordinal] of all others is 0. */
uint32_t tv_run_threads(const struct tv_index *index, struct tv_str pattern, uint8_t *marks);

void tv_run_numbers_init(struct tv_run_numbers *numbers, const struct tv_alloc *alloc);
void tv_run_numbers_release(struct tv_run_numbers *numbers);
/* Fills initialised numbers, which are to be released in any case. pool may be NULL: one thread.
 * TV_ERR_NOT_FOUND: the run has no such thread or call; TV_ERR_ARGUMENT: the range is empty. */
enum tv_code tv_run_part_take(const struct tv_run_part *part, const struct tv_index *index,
                              const struct tv_pool *pool, struct tv_run_numbers *numbers,
                              struct tv_error *err) TV_MUST_CHECK;
/* Fills initialised numbers with those of one call and of the calls that it made.
 * TV_ERR_UNSUPPORTED: the call has no time. */
enum tv_code tv_call_part_take(struct tv_call_ref call, const struct tv_index *index,
                               const struct tv_pool *pool, struct tv_run_numbers *numbers,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
