/*
 * Comparing a lockfile with runs; see compare/lock_change.h. Both are sorted by name and walked at
 * once, as in a merge, so a line that one of both lacks shows at once.
 */
#include "compare/lock_change.h"

const char *const tv_lock_change_words[] = {[TV_LOCK_SAME] = "same",
                                            [TV_LOCK_CHANGED] = "changed",
                                            [TV_LOCK_NEW] = "new",
                                            [TV_LOCK_GONE] = "gone",
                                            [TV_LOCK_STRAY] = "stray"};

void tv_lock_changes_init(struct tv_lock_changes *changes, const struct tv_alloc *alloc)
{
    *changes = (struct tv_lock_changes){.alloc = alloc};
}

void tv_lock_changes_release(struct tv_lock_changes *changes)
{
    tv_alloc_release(changes->alloc, &changes->of, changes->cap, sizeof(*changes->of));
    tv_lock_changes_init(changes, changes->alloc);
}

/* A stray is told and does not fail a check, so both are counted apart. */
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
    changes->broken += change != TV_LOCK_STRAY;
    return TV_OK;
}

enum tv_code tv_lock_changes_find(struct tv_lock_changes *changes,
                                  const struct tv_call_lock *locked,
                                  const struct tv_call_lock *runs, struct tv_error *err)
{
    size_t i = 0;
    size_t k = 0;
    while (i < locked->count || k < runs->count) {
        int order = i == locked->count ? 1
                    : k == runs->count ? -1
                                       : tv_str_compare(locked->lines[i].name, runs->lines[k].name);
        const struct tv_lock_line *of_lock = order <= 0 ? &locked->lines[i++] : NULL;
        const struct tv_lock_line *of_runs = order >= 0 ? &runs->lines[k++] : NULL;
        TV_TRY(add(changes, of_lock, of_runs, err));
    }
    return TV_OK;
}

enum tv_code tv_lock_difference_name(const struct tv_lock_difference *difference,
                                     struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_lock_line *line = difference->locked ? difference->locked : difference->run;
    return tv_lock_unescape(line->name, name, err);
}
