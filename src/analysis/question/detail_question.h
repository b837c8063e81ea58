/*
 * Where the time of one call, of one method, or of a scope went: a question as a struct, and its
 * answer.
 *
 * The *subject* is a call, all calls of a method in a scope, or a scope (a range, a thread). Its
 * inclusive time is its own exclusive time (`self`) and that of the methods that it called, which
 * are the *parts*. The *path* follows the callee with the most time, from the subject down; callees
 * that only pass the time on to the next one are left out of it. The *waits* are the methods below
 * the subject, and the subject itself, whose own code waited, from a hundredth of the subject's
 * wait on.
 *
 * Each of these rows has its longest call, so that whoever reads it can go there.
 */
#ifndef TV_ANALYSIS_QUESTION_DETAIL_QUESTION_H
#define TV_ANALYSIS_QUESTION_DETAIL_QUESTION_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/question/scope.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"

enum tv_detail_subject { TV_DETAIL_SCOPE, TV_DETAIL_METHOD, TV_DETAIL_CALL };

struct tv_detail_question {
    /* A call is looked at where it is, whatever the range and the threads are. Patterns do not
     * count for any subject. */
    struct tv_scope scope;
    enum tv_detail_subject subject;
    uint32_t method_ix;      /* TV_DETAIL_METHOD */
    struct tv_call_ref call; /* TV_DETAIL_CALL */
};

#define TV_DETAIL_PARTS 8u
#define TV_DETAIL_PATH 12u
#define TV_DETAIL_WAITS 5u

struct tv_detail_row {
    uint32_t method_ix;
    /* A part, a step of the path: of its calls from the subject along this way. A wait: of the
     * method's calls below the subject, of which the exclusive times count. */
    struct tv_numbers numbers;
    /* The longest of these calls on the question's clock; of waits the one whose own code waited
     * longest. TV_NO_CALL: the calls have no time. */
    struct tv_call_ref longest;
    uint64_t longest_ns; /* of a wait: its exclusive wait */
    uint64_t wait_ns;    /* waits: of the method's own code, at most that of the subject */
    uint32_t passed_on;  /* path: calls between this row and the one before that are left out */
};

struct tv_detail_rows {
    struct tv_detail_row of[TV_DETAIL_PATH];
    size_t count;
};

/* Methods without a row, and what they have together. */
struct tv_detail_rest {
    uint64_t methods;
    uint64_t ns;
};

struct tv_detail {
    /* A method's calls are all of its calls, and its exclusive time is that of all. */
    struct tv_numbers numbers;
    uint64_t total_ns[TV_CLOCK_COUNT]; /* root calls of the scope; of a call: of the call */
    uint64_t self_ns[TV_CLOCK_COUNT];  /* inclusive time that no part has */
    struct tv_detail_rows parts;       /* the most time first */
    uint64_t more_parts;               /* methods for which there was no room */
    struct tv_detail_rows path;
    struct tv_detail_rows waits; /* the longest wait first */
    /* Waits that have no row: of methods for which there was no room, of methods whose own code
     * waited for less than a hundredth of the subject's wait, and in a scope of hidden methods that
     * no shown one called. */
    struct tv_detail_rest more_waits;
    struct tv_detail_rest small_waits;
    uint64_t hidden_wait_ns;
    uint64_t unrecorded_ns; /* inclusive wall time after the last record of its thread */
};

/* pool may be NULL: one thread. */
enum tv_code tv_detail_compute(struct tv_detail *detail, const struct tv_index *index,
                               const struct tv_detail_question *question,
                               const struct tv_alloc *alloc, const struct tv_pool *pool,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
