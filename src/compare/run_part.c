/*
 * The profile of a part of a run; see compare/run_part.h.
 *
 * Threads and a range are a selection, whose sums the index has or adds up. What lies below a
 * method is found by a walk over the tree of contexts (analysis/profile/group_rows.h), in which
 * each method is a group of its own. Between two methods counts are
 * those of compare/call_counts.h, since a range of time cannot tell calls of one moment apart; the
 * times of the methods that are called there are those of the range.
 */
#include "compare/run_part.h"

#include "analysis/insights/insights.h"
#include "analysis/profile/group_rows.h"
#include "analysis/question/scope.h"
#include "analysis/selection/names.h"
#include "compare/call_counts.h"
#include "compare/method_join.h"

struct tv_run_part tv_run_part_all(void)
{
    return (struct tv_run_part){
        .to_ns = UINT64_MAX, .root = TV_NONE, .first = TV_NONE, .until = TV_NONE};
}

void tv_run_method_init(struct tv_run_method *method, const struct tv_alloc *alloc)
{
    tv_buffer_init(&method->name, alloc);
    tv_buffer_init(&method->whole, alloc);
}

void tv_run_method_release(struct tv_run_method *method)
{
    tv_buffer_release(&method->name);
    tv_buffer_release(&method->whole);
}

/* The name without its signature, by which runs are matched: another signature is a change of the
 * same method. */
static enum tv_code name_method(const struct tv_index *index, uint32_t method_ix,
                                struct tv_buffer *name, struct tv_error *err)
{
    struct tv_joined_method joined = tv_joined_of(index, method_ix);
    joined.signature = (struct tv_str){.len = 0};
    return tv_joined_text(&joined, name, err);
}

static enum tv_code keep_first(struct tv_run_method *method, const struct tv_index *index,
                               struct tv_str asked, uint32_t method_ix, struct tv_error *err)
{
    TV_TRY(name_method(index, method_ix, &method->name, err));
    if (!tv_method_written(index, method_ix).len)
        return TV_OK;
    TV_TRY(tv_method_text(index, method_ix, &method->whole, err));
    if (tv_str_find(tv_buffer_view(&method->whole), asked, TV_CASE_FOLD) != SIZE_MAX)
        method->whole.len = 0;
    return TV_OK;
}

enum tv_code tv_run_method_check(struct tv_run_method *method, const struct tv_index *index,
                                 struct tv_str asked, uint32_t method_ix, struct tv_error *err)
{
    struct tv_buffer name;
    if (!method->name.len)
        return keep_first(method, index, asked, method_ix, err);
    tv_buffer_init(&name, method->name.alloc);
    enum tv_code code = name_method(index, method_ix, &name, err);
    const struct tv_str is = tv_buffer_view(&name);
    const struct tv_str was = tv_buffer_view(&method->name);
    if (code == TV_OK && !tv_str_equal(is, was))
        code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "'%.*s' is %.*s here, and %.*s in the recording before: give a name that is "
                       "of one method in all",
                       tv_str_shown_len(asked), asked.at, tv_str_shown_len(is), is.at,
                       tv_str_shown_len(was), was.at);
    tv_buffer_release(&name);
    return code;
}

uint32_t tv_run_threads(const struct tv_index *index, struct tv_str pattern, uint8_t *marks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        marks[i] = tv_str_glob(tv_index_thread_name(index, i), pattern);
        count += marks[i];
    }
    uint32_t main_thread = tv_main_thread(index);
    if (!count && main_thread != TV_NONE && tv_str_equal(pattern, TV_STR("main"))) {
        marks[main_thread] = 1;
        count = 1;
    }
    return count;
}

/* Marks the threads of a pattern, or the one with an id; how many they are. */
static uint32_t mark_threads(const struct tv_index *index, struct tv_str wanted, uint8_t *marks,
                             uint8_t *of_pattern)
{
    uint64_t id;
    uint32_t count = 0;
    if (!tv_str_to_u64(wanted, 10, &id)) {
        count = tv_run_threads(index, wanted, of_pattern);
        for (uint32_t i = 0; i < index->thread_count; i++)
            marks[i] |= of_pattern[i];
        return count;
    }
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].id == id) {
            marks[i] = 1;
            count++;
        }
    }
    return count;
}

static enum tv_code take_threads(const struct tv_run_part *part, const struct tv_index *index,
                                 struct tv_arena *arena, struct tv_scope *scope,
                                 struct tv_error *err)
{
    uint8_t *marks;
    uint8_t *of_pattern;
    if (!part->thread_count)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, index->thread_count + (size_t)1, &marks, err));
    TV_TRY(tv_arena_take(arena, index->thread_count + (size_t)1, &of_pattern, err));
    for (size_t i = 0; i < part->thread_count; i++) {
        struct tv_str wanted = part->threads[i];
        if (!mark_threads(index, wanted, marks, of_pattern))
            return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                           "no thread has the id or name '%.*s'", tv_str_shown_len(wanted),
                           wanted.at);
    }
    return tv_scope_take_threads(scope, index, marks, arena, err);
}

static enum tv_code take_scope(const struct tv_run_part *part, const struct tv_index *index,
                               struct tv_arena *arena, struct tv_scope *scope, struct tv_error *err)
{
    tv_scope_init(scope, index);
    TV_TRY(take_threads(part, index, arena, scope, err));
    return tv_scope_take_range(scope, index, part->from_ns, part->to_ns, err);
}

/* --- below a method --- */

/* The whole is what the outermost calls of the root took. */
static enum tv_code profile_below(const struct tv_run_part *part, const struct tv_sums *sums,
                                  struct tv_profile *profile, struct tv_error *err)
{
    const struct tv_alloc *alloc = profile->alloc;
    const uint32_t count = sums->index->method_count;
    uint32_t *group_of;
    tv_profile_release(profile);
    TV_TRY(tv_alloc_new(alloc, &profile->rows, count, sizeof(*profile->rows), err));
    profile->index = sums->index;
    profile->row_count = count;
    TV_TRY(tv_alloc_new(alloc, &group_of, count, sizeof(*group_of), err));
    for (uint32_t i = 0; i < count; i++)
        group_of[i] = i;
    enum tv_code code = tv_groups_rows(&(struct tv_method_groups){group_of, count, part->root},
                                       sums, profile->rows, alloc, err);
    tv_alloc_release(alloc, &group_of, count, sizeof(*group_of));
    TV_TRY(code);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        profile->total_ns[clock] = profile->rows[part->root].numbers.inclusive_ns[clock];
    if (profile->rows[part->root].numbers.calls)
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "the method that is to be the root has no call here");
}

/* --- below one call --- */

enum tv_code tv_call_part_take(struct tv_call_ref call, const struct tv_index *index,
                               const struct tv_pool *pool, struct tv_run_numbers *numbers,
                               struct tv_error *err)
{
    const struct tv_index_thread *thread = &index->threads[call.thread_ix];
    struct tv_scope scope;
    if (!tv_index_duration(index, thread, tv_index_axis(index), call.call))
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "the call has no time");
    tv_scope_init(&scope, index);
    TV_TRY(tv_scope_take_call(&scope, index, call, &numbers->arena, err));
    TV_TRY(tv_sums_compute(&numbers->sums, index, &scope.selection, pool, err));
    return tv_profile_of_sums(&numbers->profile, &numbers->sums, err);
}

/* --- between two methods --- */

static uint64_t start_ns(const struct tv_index *index, struct tv_call_ref ref)
{
    return tv_index_start(index, &index->threads[ref.thread_ix], tv_index_axis(index), ref.call) *
           index->info->unit_ns;
}

/* Gives the methods that were called between both their counts, and takes all others out: the
 * callers of the first call have time there, and no call. */
static void take_counts(struct tv_profile *profile, const struct tv_call_counts *counts)
{
    for (uint32_t i = 0; i < profile->row_count; i++) {
        struct tv_method_row *row = &profile->rows[i];
        uint64_t calls = counts->rows[i].numbers.calls;
        if (!calls)
            *row = (struct tv_method_row){.recursive_calls = 0};
        row->numbers.calls = calls;
        row->recursive_calls = 0;
    }
}

/* The sums borrow the thread from the arena. */
static enum tv_code sum_between(const struct tv_call_counts *counts, const struct tv_index *index,
                                const struct tv_pool *pool, struct tv_run_numbers *numbers,
                                struct tv_error *err)
{
    uint32_t *thread;
    TV_TRY(tv_arena_take(&numbers->arena, sizeof(*thread), &thread, err));
    *thread = counts->first.thread_ix;
    const struct tv_selection selection = {.has_range = true,
                                           .from_ns = start_ns(index, counts->first),
                                           .to_ns = start_ns(index, counts->until),
                                           .threads = thread,
                                           .thread_count = 1};
    TV_TRY(tv_sums_compute(&numbers->sums, index, &selection, pool, err));
    return tv_profile_of_sums(&numbers->profile, &numbers->sums, err);
}

static enum tv_code profile_between(const struct tv_run_part *part, const struct tv_index *index,
                                    const struct tv_pool *pool, struct tv_run_numbers *numbers,
                                    struct tv_error *err)
{
    const struct tv_call_counts_opts opts = {
        .from = part->first, .until = part->until, .per = TV_NONE};
    struct tv_call_counts counts;
    numbers->is_between = true;
    tv_call_counts_init(&counts, numbers->profile.alloc);
    enum tv_code code = tv_call_counts_make(&counts, index, &opts, err);
    if (code == TV_OK)
        code = sum_between(&counts, index, pool, numbers, err);
    if (code == TV_OK)
        take_counts(&numbers->profile, &counts);
    tv_call_counts_release(&counts);
    return code;
}

void tv_run_numbers_init(struct tv_run_numbers *numbers, const struct tv_alloc *alloc)
{
    tv_profile_init(&numbers->profile, alloc);
    tv_sums_init(&numbers->sums, alloc);
    numbers->is_between = false;
    numbers->root = TV_NONE;
    tv_arena_init(&numbers->arena, alloc);
}

void tv_run_numbers_release(struct tv_run_numbers *numbers)
{
    tv_profile_release(&numbers->profile);
    tv_sums_release(&numbers->sums);
    tv_arena_release(&numbers->arena);
}

enum tv_code tv_run_part_take(const struct tv_run_part *part, const struct tv_index *index,
                              const struct tv_pool *pool, struct tv_run_numbers *numbers,
                              struct tv_error *err)
{
    struct tv_scope scope;
    if (part->first != TV_NONE)
        return profile_between(part, index, pool, numbers, err);
    numbers->root = part->root;
    TV_TRY(take_scope(part, index, &numbers->arena, &scope, err));
    TV_TRY(tv_sums_compute(&numbers->sums, index, &scope.selection, pool, err));
    return part->root == TV_NONE ? tv_profile_of_sums(&numbers->profile, &numbers->sums, err)
                                 : profile_below(part, &numbers->sums, &numbers->profile, err);
}
