/*
 * A question over all traces, as the routes and the pages ask it: which traces count for whoever
 * asks, and their rows. A trace of a project that the asker may not read counts for others alone,
 * and so do its names: nothing of it is in any number of the answer.
 */
#ifndef TV_SITE_FLEET_FLEET_QUESTION_H
#define TV_SITE_FLEET_FLEET_QUESTION_H

#include "base/text/out.h"
#include "fleet/build_change.h"
#include "fleet/build_history.h"
#include "fleet/method_history.h"
#include "site/request/request_context.h"

/* Traces that one question looks at, the newest. */
#define TV_FLEET_TRACES_MOST 20000u
/* The most builds that are listed, the newest, and the most methods of each list. */
#define TV_FLEET_BUILDS_TOLD 30u
#define TV_FLEET_METHODS_TOLD 50u

struct tv_fleet_question {
    struct tv_str app, device; /* empty: not given */
    struct tv_str build_names[TV_SIDE_COUNT];
    struct tv_fleet_method method;
    bool has_clock;
    enum tv_clock clock;
    enum tv_time_kind kind;
    uint64_t most; /* methods of a list */

    struct tv_fleet_reader reader;
    struct tv_fleet_trace *traces; /* that count, the newest first; of `app` where it is given */
    size_t count;
    size_t without_rows; /* of these that were looked for: their rows are not made yet */
    bool is_cut;         /* there are more than `bound` */
    size_t bound;
    struct tv_fleet_builds builds; /* of `app` */
};

/* Which parameters a question takes. */
enum tv_fleet_asked {
    TV_FLEET_APPS,
    TV_FLEET_DIGEST, /* of one app, or of all; tv_fleet_question_as_of finds its traces */
    TV_FLEET_BUILDS,
    TV_FLEET_CHANGE,
    TV_FLEET_METHOD
};
/* Reads the parameters and finds what counts. The question is to be ended in any case. False: the
 * response says why there is no answer. */
bool tv_fleet_question_begin(struct tv_request_context *context, enum tv_fleet_asked asked,
                             struct tv_fleet_question *question, struct tv_http_response *response);
void tv_fleet_question_end(struct tv_fleet_question *question);
/* A digest of a week covers eight weeks, so it looks at the newest traces only, at most this many.
 */
#define TV_FLEET_DIGEST_MOST 5000u
/* The question as it would have been at a midnight, about the traces that had come before, without
 * their rows. `past` is a view of `question`, which may be a digest without traces; only `question`
 * is to be ended. */
enum tv_code tv_fleet_question_as_of(struct tv_request_context *context,
                                     const struct tv_fleet_question *question, int64_t midnight,
                                     struct tv_fleet_question *past,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Where there are more traces than one question looks at: a blank and a sentence that says so, of
 * letters that need no escapes. */
void tv_fleet_question_tell_bound(const struct tv_fleet_question *question, struct tv_out *out);

/* The two builds that a question is about; those that were not named are the last two. */
struct tv_fleet_sides {
    const struct tv_fleet_build *builds[TV_SIDE_COUNT];
    size_t runs[TV_SIDE_COUNT];              /* that are compared */
    size_t traces[TV_SIDE_COUNT];            /* of the build, and of the device where it is given */
    struct tv_fleet_counted *counted;        /* all of them, the old ones first */
    const struct tv_fleet_trace **traces_of; /* of each of `counted` */
    bool other_devices; /* the traces are not all of one device, so that their times are not tested
                         */
};
/* The newest traces of each that have rows, TV_FLEET_COMPARED_MOST at most. Rows are looked for
 * here, of the traces of both builds alone. */
enum tv_code tv_fleet_sides_find(struct tv_request_context *context,
                                 struct tv_fleet_question *question, struct tv_fleet_sides *sides,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Compares them; fewer traces of each where they have too many different methods, which `sides`
 * tells. `change` is to be released in any case. */
enum tv_code tv_fleet_compare(struct tv_fleet_question *question, struct tv_fleet_sides *sides,
                              struct tv_build_change *change, struct tv_error *err) TV_MUST_CHECK;

/* A trace that shows a method, and the longest call of the method in it. */
struct tv_fleet_example {
    const struct tv_fleet_trace *trace; /* NULL: there is none */
    uint64_t slowest_ns, slowest_at_ns;
};
/* That of a method on a side. */
struct tv_fleet_example tv_fleet_example_find(const struct tv_fleet_sides *sides,
                                              const struct tv_build_change *change, uint32_t place,
                                              enum tv_side side);

#endif
