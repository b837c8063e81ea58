/* Counting runs; see compare/counted_runs.h. What is kept of a run is copied, since runs are closed
 * one by one. */
#include "compare/counted_runs.h"

void tv_counted_runs_init(struct tv_counted_runs *runs, const struct tv_alloc *alloc)
{
    *runs = (struct tv_counted_runs){.lost = {.why = {.code = TV_OK}}};
    tv_join_init(&runs->join, alloc);
    tv_join_init(&runs->inlined, alloc);
}

void tv_counted_runs_release(struct tv_counted_runs *runs)
{
    const struct tv_alloc *alloc = runs->join.alloc;
    tv_join_release(&runs->join);
    tv_join_release(&runs->inlined);
    tv_counted_runs_init(runs, alloc);
}

void tv_counted_runs_begin(struct tv_counted_runs *runs, size_t count)
{
    tv_join_begin(&runs->join, count);
    tv_join_begin(&runs->inlined, count);
}

enum tv_code tv_counted_runs_add(struct tv_counted_runs *runs, size_t run,
                                 const struct tv_index *index,
                                 const struct tv_call_counts_opts *opts, struct tv_str file,
                                 struct tv_error *err)
{
    const struct tv_run_build build = tv_run_build_of(index);
    struct tv_call_counts counts;
    tv_lost_runs_note_build(&runs->lost, &build, file);
    tv_call_counts_init(&counts, runs->join.alloc);
    enum tv_code code = tv_call_counts_make(&counts, index, opts, err);
    if (code == TV_OK)
        code = tv_join_add(&runs->join, run, index, counts.rows, err);
    if (code == TV_OK)
        code = tv_join_add_inlined(&runs->inlined, run, index, counts.rows, err);
    tv_call_counts_release(&counts);
    return code;
}

enum tv_code tv_counted_runs_lock(struct tv_counted_runs *runs,
                                  const struct tv_lock_subject *subject, struct tv_call_lock *lock,
                                  struct tv_error *err)
{
    const struct tv_lost_runs *lost = &runs->lost;
    struct tv_lock_subject of = *subject;
    if (lost->why_builds.code != TV_OK)
        return tv_fail(err, lost->why_builds.code, TV_NO_OFFSET, "%.*s %s",
                       tv_str_shown_len(lost->of_builds), lost->of_builds.at,
                       lost->why_builds.text);
    of.short_names = tv_str_from(lost->build.is_short ? lost->build.id : "");
    TV_TRY(tv_join_finish(&runs->join, err));
    TV_TRY(tv_join_finish(&runs->inlined, err));
    return tv_call_lock_of_join(lock, &runs->join, &runs->inlined, &of, err);
}
