/*
 * Matching threads of runs; see compare/thread_join.h.
 *
 * Calls of a whole run stand in the index; those of a part are added up over its nodes. When a run
 * is over, its numbers go to the side's least and most.
 */
#include "compare/thread_join.h"

#include "analysis/insights/insights.h"
#include "base/memory/sort.h"

#define NO_NAME "(no name)"

void tv_thread_join_init(struct tv_thread_join *threads, const struct tv_alloc *alloc)
{
    *threads = (struct tv_thread_join){.alloc = alloc};
    tv_arena_init(&threads->names, alloc);
    tv_text_map_init(&threads->places, alloc);
    tv_buffer_init(&threads->room, alloc);
}

void tv_thread_join_release(struct tv_thread_join *threads)
{
    const struct tv_alloc *alloc = threads->alloc;
    tv_alloc_release(alloc, &threads->changed, threads->count, sizeof(*threads->changed));
    tv_alloc_release(alloc, &threads->of, threads->cap, sizeof(*threads->of));
    tv_buffer_release(&threads->room);
    tv_text_map_release(&threads->places);
    tv_arena_release(&threads->names);
    tv_thread_join_init(threads, alloc);
}

static bool is_digit(char sign)
{
    return sign >= '0' && sign <= '9';
}

/* Writes the name by which a thread is matched into the room. */
static enum tv_code write_name(struct tv_buffer *room, struct tv_str name, struct tv_error *err)
{
    room->len = 0;
    for (size_t i = 0; i < name.len; i++) {
        const bool is_number = is_digit(name.at[i]);
        if (!is_number || !i || !is_digit(name.at[i - 1]))
            TV_TRY(tv_buffer_append(room, is_number ? "*" : &name.at[i], 1, err));
    }
    return name.len ? TV_OK : tv_buffer_append(room, NO_NAME, sizeof(NO_NAME) - 1, err);
}

static enum tv_code find_or_add(struct tv_thread_join *threads, struct tv_str name, uint32_t *place,
                                struct tv_error *err)
{
    struct tv_str own;
    uint32_t *slot;
    *place = tv_text_map_get(&threads->places, name);
    if (*place != TV_MAP_NONE)
        return TV_OK;
    TV_TRY(tv_arena_keep(&threads->names, name, &own, err));
    TV_TRY(tv_alloc_grow(threads->alloc, &threads->of, &threads->cap, threads->count + 1,
                         sizeof(*threads->of), err));
    TV_TRY(tv_text_map_slot(&threads->places, own, (uint32_t)threads->count, &slot, err));
    *place = (uint32_t)threads->count;
    threads->of[threads->count++] = (struct tv_matched_thread){.name = own};
    return TV_OK;
}

/* What a thread did in the sums. */
struct doing {
    uint64_t calls;
    uint64_t time_ns[TV_CLOCK_COUNT];
};

static struct doing doing_of(const struct tv_sums *sums, uint32_t i)
{
    const struct tv_node_range nodes = tv_sums_nodes(sums, i);
    struct doing doing = {.calls = 0};
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        doing.calls += tv_sums_calls(sums, node);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT && sums->parent[node] == TV_NONE; clock++)
            doing.time_ns[clock] += tv_sums_inclusive(sums, clock, node);
    }
    return doing;
}

static enum tv_code add_thread(struct tv_thread_join *threads, enum tv_side side,
                               const struct tv_sums *sums, uint32_t i, bool is_main,
                               struct tv_error *err)
{
    const struct tv_index *index = sums->index;
    const struct tv_index_thread *thread =
        &index->threads[tv_selection_thread(&sums->selection, i)];
    const struct doing doing = doing_of(sums, i);
    struct tv_str name = TV_STR("main");
    uint32_t place;
    if (!doing.calls)
        return TV_OK;
    if (!is_main) {
        TV_TRY(write_name(&threads->room, tv_index_text(index, thread->name_off, thread->name_len),
                          err));
        name = tv_buffer_view(&threads->room);
    }
    TV_TRY(find_or_add(threads, name, &place, err));
    struct tv_matched_thread *joined = &threads->of[place];
    joined->now.threads++;
    joined->now.calls += doing.calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        joined->sides[side].time_ns[clock] += doing.time_ns[clock];
    return TV_OK;
}

static void widen(uint64_t now, bool is_first, uint64_t *least, uint64_t *most)
{
    *least = is_first || now < *least ? now : *least;
    *most = now > *most ? now : *most;
}

static void end_run(struct tv_thread_join *threads, enum tv_side side)
{
    const bool is_first = !threads->run_counts[side]++;
    for (size_t i = 0; i < threads->count; i++) {
        struct tv_matched_thread *of = &threads->of[i];
        struct tv_thread_side *to = &of->sides[side];
        widen(of->now.threads, is_first, &to->least.threads, &to->most.threads);
        widen(of->now.calls, is_first, &to->least.calls, &to->most.calls);
        of->now = (struct tv_thread_counts){.calls = 0};
    }
}

enum tv_code tv_thread_join_add(struct tv_thread_join *threads, enum tv_side side,
                                const struct tv_sums *sums, struct tv_error *err)
{
    const uint32_t count = tv_selection_thread_count(&sums->selection, sums->index);
    const uint32_t main_thread = tv_main_thread(sums->index);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_main = tv_selection_thread(&sums->selection, i) == main_thread;
        TV_TRY(tv_check_wanted(sums->is_unwanted, err));
        TV_TRY(add_thread(threads, side, sums, i, is_main, err));
    }
    end_run(threads, side);
    return TV_OK;
}

uint64_t tv_thread_time(const struct tv_thread_join *threads, size_t place, enum tv_side side,
                        enum tv_clock clock)
{
    const size_t runs = threads->run_counts[side];
    return runs ? threads->of[place].sides[side].time_ns[clock] / runs : 0;
}

struct ordering {
    const struct tv_thread_join *threads;
    enum tv_clock clock;
};

/* The time of the side that has more of it. */
static uint64_t longer_time(const struct ordering *ordering, uint32_t place)
{
    const uint64_t was = tv_thread_time(ordering->threads, place, TV_SIDE_OLD, ordering->clock);
    const uint64_t is = tv_thread_time(ordering->threads, place, TV_SIDE_NEW, ordering->clock);
    return was > is ? was : is;
}

static int compare_times(const void *ctx, uint32_t a, uint32_t b)
{
    const uint64_t of_a = longer_time(ctx, a);
    const uint64_t of_b = longer_time(ctx, b);
    if (of_a != of_b)
        return of_a < of_b ? 1 : -1;
    const struct tv_matched_thread *of = ((const struct ordering *)ctx)->threads->of;
    return tv_str_compare(of[a].name, of[b].name);
}

static enum tv_verdict judge(const struct tv_thread_side sides[TV_SIDE_COUNT])
{
    struct tv_change_side calls[TV_SIDE_COUNT];
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        calls[side] = (struct tv_change_side){.least_calls = sides[side].least.calls,
                                              .most_calls = sides[side].most.calls};
    return tv_change_judge_calls(&calls[TV_SIDE_OLD], &calls[TV_SIDE_NEW]);
}

enum tv_code tv_thread_join_finish(struct tv_thread_join *threads, enum tv_clock clock,
                                   struct tv_error *err)
{
    const struct ordering ordering = {threads, clock};
    TV_TRY(tv_alloc_new(threads->alloc, &threads->changed, threads->count,
                        sizeof(*threads->changed), err));
    for (uint32_t i = 0; i < threads->count; i++) {
        const struct tv_thread_side *sides = threads->of[i].sides;
        const bool was = sides[TV_SIDE_OLD].most.calls != 0;
        const bool is = sides[TV_SIDE_NEW].most.calls != 0;
        threads->common_count += was && is;
        threads->only_count[TV_SIDE_OLD] += was && !is;
        threads->only_count[TV_SIDE_NEW] += is && !was;
        if (judge(sides) == TV_VERDICT_CHANGED)
            threads->changed[threads->changed_count++] = i;
    }
    return tv_sort(threads->alloc, threads->changed, threads->changed_count, compare_times,
                   &ordering, err);
}
