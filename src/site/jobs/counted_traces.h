/* The traces that count in a question over all traces, with their rows. */
#ifndef TV_SITE_JOBS_COUNTED_TRACES_H
#define TV_SITE_JOBS_COUNTED_TRACES_H

#include "fleet/fleet_trace.h"
#include "store/store.h"

struct tv_counted_traces {
    struct tv_fleet_trace *traces; /* the newest first; they and their texts are in the arena */
    size_t count;
    size_t without_rows; /* of these: their rows are not made yet */
    bool is_cut;         /* there are more */
};

/* Finds the traces that count, without their rows: `query` says which, but how many at a time and
 * behind which, and `most` how many are looked at. Ends with TV_ERR_CANCELLED when *is_unwanted
 * becomes true; it may be NULL. */
enum tv_code tv_counted_traces_find(struct tv_counted_traces *found, const struct tv_store *store,
                                    const struct tv_trace_query *query,
                                    const atomic_bool *is_unwanted, size_t most,
                                    struct tv_arena *arena, struct tv_error *err) TV_MUST_CHECK;
/* Looks for the rows of all that were found. It does not matter what else the database of rows has.
 */
enum tv_code tv_counted_traces_find_runs(struct tv_counted_traces *found,
                                         struct tv_fleet_reader *reader, struct tv_arena *arena,
                                         struct tv_error *err) TV_MUST_CHECK;

#endif
