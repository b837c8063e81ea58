/*
 * Comparing a lockfile with runs; see compare/lock_change.h. Both are sorted by name and walked at
 * once, as in a merge, so a line that one of both lacks shows at once.
 */
#include "compare/lock_change.h"

const char *const tv_lock_change_words[] = {
    [TV_LOCK_SAME] = "same", [TV_LOCK_CHANGED] = "changed", [TV_LOCK_NEW] = "new",
    [TV_LOCK_GONE] = "gone", [TV_LOCK_STRAY] = "stray",     [TV_LOCK_INLINED] = "inlined"};

void tv_lock_changes_init(struct tv_lock_changes *changes, const struct tv_alloc *alloc)
{
    *changes = (struct tv_lock_changes){.alloc = alloc};
}

void tv_lock_changes_release(struct tv_lock_changes *changes)
{
    tv_alloc_release(changes->alloc, &changes->of, changes->cap, sizeof(*changes->of));
    tv_lock_changes_init(changes, changes->alloc);
}

/* A stray, and what is undecided, are told and do not fail a check, so they are counted apart. */
static enum tv_code add(struct tv_lock_changes *changes, const struct tv_lock_line *locked,
                        const struct tv_lock_line *run, struct tv_error *err)
{
    enum tv_lock_change change = tv_lock_compare(locked, run);
    if (change == TV_LOCK_SAME)
        return TV_OK;
    TV_TRY(tv_alloc_grow(changes->alloc, &changes->of, &changes->cap, changes->count + 1,
                         sizeof(*changes->of), err));
    changes->of[changes->count++] = (struct tv_lock_difference){change, locked, run};
    changes->strays += change == TV_LOCK_STRAY;
    changes->inlined += change == TV_LOCK_INLINED;
    changes->broken += change != TV_LOCK_STRAY && change != TV_LOCK_INLINED;
    return TV_OK;
}

/* The lines of both locks while they are walked. */
struct walk {
    const struct tv_call_lock *locked, *runs;
    size_t of_locked, of_runs; /* places of the next ones */
};

/* The lines of the next name; NULL of the lock that has none. false: that was all. */
static bool next(struct walk *walk, const struct tv_lock_line **locked,
                 const struct tv_lock_line **run)
{
    const bool has_locked = walk->of_locked < walk->locked->count;
    const bool has_run = walk->of_runs < walk->runs->count;
    if (!has_locked && !has_run)
        return false;
    const int order = !has_locked ? 1
                      : !has_run  ? -1
                                  : tv_str_compare(walk->locked->lines[walk->of_locked].name,
                                                   walk->runs->lines[walk->of_runs].name);
    *locked = order <= 0 ? &walk->locked->lines[walk->of_locked++] : NULL;
    *run = order >= 0 ? &walk->runs->lines[walk->of_runs++] : NULL;
    return true;
}

enum tv_code tv_lock_changes_find(struct tv_lock_changes *changes,
                                  const struct tv_call_lock *locked,
                                  const struct tv_call_lock *runs, struct tv_error *err)
{
    struct walk walk = {locked, runs, 0, 0};
    const struct tv_lock_line *of_lock, *of_runs;
    while (next(&walk, &of_lock, &of_runs))
        TV_TRY(add(changes, of_lock, of_runs, err));
    return TV_OK;
}

size_t tv_lock_lost_ranges(const struct tv_call_lock *locked, const struct tv_call_lock *runs)
{
    struct walk walk = {locked, runs, 0, 0};
    const struct tv_lock_line *of_lock, *of_runs;
    size_t lost = 0;
    while (runs->runs < locked->runs && next(&walk, &of_lock, &of_runs))
        lost +=
            of_lock && of_runs && of_lock->least < of_lock->most && of_runs->least == of_runs->most;
    return lost;
}

enum tv_code tv_lock_difference_name(const struct tv_lock_difference *difference,
                                     struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_lock_line *line = difference->locked ? difference->locked : difference->run;
    return tv_lock_unescape(line->name, name, err);
}
