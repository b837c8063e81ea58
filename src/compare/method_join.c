/*
 * Matching methods of runs; see compare/method_join.h.
 *
 * A method is found by the text of its parts, with their lengths before it: no name can be made
 * that stands for two methods. Names that are known already take no memory of their own.
 *
 * Ids of methods differ from run to run, and so do addresses of lambdas; names without their
 * numbers (stable_name.h) are all that runs have in common.
 */
#include "compare/method_join.h"

#include <stdio.h>
#include <string.h>

#include "analysis/profile/group_rows.h"
#include "analysis/profile/overhead.h"
#include "analysis/selection/names.h"
#include "base/memory/sort.h"

/* The three lengths before a key, a mark for each name that is cut, and the number. */
#define KEY_HEAD 18u

void tv_join_init(struct tv_join *join, const struct tv_alloc *alloc)
{
    *join = (struct tv_join){.alloc = alloc};
    tv_arena_init(&join->keys, alloc);
    tv_text_map_init(&join->places, alloc);
}

void tv_join_release(struct tv_join *join)
{
    const struct tv_alloc *alloc = join->alloc;
    tv_alloc_release(alloc, &join->sorted, join->count, sizeof(*join->sorted));
    tv_alloc_release(alloc, &join->methods, join->cap, sizeof(*join->methods));
    tv_alloc_release(alloc, &join->numbers, join->numbers_cap, sizeof(*join->numbers));
    tv_alloc_release(alloc, &join->callees, join->callees_cap, sizeof(*join->callees));
    tv_alloc_release(alloc, &join->cut_calls, join->run_count, sizeof(*join->cut_calls));
    tv_text_map_release(&join->places);
    tv_arena_release(&join->keys);
    tv_join_init(join, alloc);
}

void tv_join_begin(struct tv_join *join, size_t run_count)
{
    tv_join_release(join);
    join->run_count = run_count;
}

/* By the stable names: the numbers of lambdas, proxies and accessors change with each run, and
 * would part one method into two. */
struct tv_joined_method tv_joined_of(const struct tv_index *index, uint32_t method_ix)
{
    return (struct tv_joined_method){
        .class_name = tv_stable_class(tv_method_class(index, method_ix)),
        .name = tv_stable_method(tv_method_name(index, method_ix)),
        .signature = tv_method_signature(index, method_ix),
        .build = tv_method_build(index, method_ix),
        .id = index->methods[method_ix].id,
        .is_nameless = !index->methods[method_ix].is_known,
        .alternatives = tv_method_alternatives(index, method_ix),
    };
}

static char *put(char *to, struct tv_str text)
{
    if (text.len)
        memcpy(to, text.at, text.len);
    return to + text.len;
}

/* Writes the key of a method into the room for it. A method that nothing describes is its id. */
static enum tv_code make_key(struct tv_join *join, const struct tv_joined_method *method,
                             struct tv_str *key, struct tv_error *err)
{
    struct tv_str class_name = method->class_name.stem;
    struct tv_str name = method->name.stem;
    bool has_name = class_name.len || name.len || method->signature.len;
    size_t len = KEY_HEAD + class_name.len + name.len + method->signature.len + method->build.len +
                 (has_name ? 0 : sizeof(method->id));
    if (len > join->room_len) {
        TV_TRY(tv_arena_take(&join->keys, len, &join->room, err));
        join->room_len = len;
    }
    char *at = join->room;
    uint32_t lens[3] = {(uint32_t)class_name.len, (uint32_t)name.len, (uint32_t)method->build.len};
    memcpy(at, lens, sizeof(lens));
    at[12] = (char)method->class_name.is_cut;
    at[13] = (char)method->name.is_cut;
    memcpy(at + 14, &method->number, sizeof(method->number));
    at = put(put(put(at + KEY_HEAD, class_name), name), method->signature);
    at = put(at, method->build);
    if (!has_name)
        memcpy(at, &method->id, sizeof(method->id));
    *key = (struct tv_str){join->room, len};
    return TV_OK;
}

/* Makes the method's names those that stand in its key. */
static void keep_names(struct tv_joined_method *method, struct tv_str key)
{
    method->class_name.stem.at = key.at + KEY_HEAD;
    method->name.stem.at = method->class_name.stem.at + method->class_name.stem.len;
    method->signature.at = method->name.stem.at + method->name.stem.len;
    method->build.at = method->signature.at + method->signature.len;
}

/* Adds a method without numbers in any run. */
static enum tv_code add_method(struct tv_join *join, struct tv_joined_method *method,
                               struct tv_str key, struct tv_error *err)
{
    size_t first = join->count * join->run_count;
    TV_TRY(tv_alloc_grow(join->alloc, &join->methods, &join->cap, join->count + 1,
                         sizeof(*join->methods), err));
    TV_TRY(tv_alloc_grow(join->alloc, &join->numbers, &join->numbers_cap, first + join->run_count,
                         sizeof(*join->numbers), err));
    for (size_t run = 0; run < join->run_count; run++)
        join->numbers[first + run] = (struct tv_method_row){.recursive_calls = 0};
    keep_names(method, key);
    method->last_run = SIZE_MAX;
    join->methods[join->count] = *method;
    join->methods[join->count++].alternatives = TV_STR("");
    return TV_OK;
}

/* Notes what an ambiguous method may be. Where runs tell different lists behind one name, it may be
 * any method, as the name says. */
static enum tv_code note_alternatives(struct tv_join *join, struct tv_joined_method *joined,
                                      struct tv_str alternatives, struct tv_error *err)
{
    if (!alternatives.len || tv_str_equal(joined->alternatives, alternatives))
        return TV_OK;
    if (joined->alternatives.len) {
        joined->alternatives = joined->name.stem;
        joined->has_other_lists = true;
        return TV_OK;
    }
    return tv_arena_keep(&join->keys, alternatives, &joined->alternatives, err);
}

/* Two rows of one run that fall together (generated names without their numbers, or one source
 * method under several names of a build) are added up, and the method is marked, since its count is
 * then of several. */
static enum tv_code add_row(struct tv_join *join, size_t run, struct tv_joined_method *method,
                            const struct tv_method_row *from, uint32_t *stands,
                            struct tv_error *err)
{
    struct tv_str key;
    uint32_t *place;
    TV_TRY(make_key(join, method, &key, err));
    TV_TRY(tv_text_map_slot(&join->places, key, TV_NONE, &place, err));
    if (*place == TV_NONE) {
        *place = (uint32_t)join->count;
        join->room = NULL; /* the map keeps it */
        join->room_len = 0;
        TV_TRY(add_method(join, method, key, err));
    }
    *stands = *place;
    struct tv_joined_method *joined = &join->methods[*place];
    struct tv_method_row *row = &join->numbers[*place * join->run_count + run];
    TV_TRY(note_alternatives(join, joined, method->alternatives, err));
    join->run_merged += joined->last_run == run;
    joined->is_merged = joined->is_merged || joined->last_run == run;
    joined->last_run = run;
    tv_numbers_add(&row->numbers, &from->numbers);
    row->recursive_calls += from->recursive_calls;
    return TV_OK;
}

/* A method without numbers is left out: it was not called in this run, and is as good as not there.
 * So is the recorder's own, since how often it writes is not the program's doing. */
enum tv_code tv_join_add_placed(struct tv_join *join, size_t run, const struct tv_index *index,
                                const struct tv_method_row *rows, uint32_t *places,
                                struct tv_error *err)
{
    const uint32_t writing = tv_writing_method(index);
    join->run_merged = 0;
    for (uint32_t i = 0; i < index->method_count; i++) {
        struct tv_joined_method method = tv_joined_of(index, i);
        uint32_t place = TV_NONE;
        if (i != writing && tv_method_row_has(&rows[i]))
            TV_TRY(add_row(join, run, &method, &rows[i], &place, err));
        if (places)
            places[i] = place;
    }
    return TV_OK;
}

enum tv_code tv_join_add(struct tv_join *join, size_t run, const struct tv_index *index,
                         const struct tv_method_row *rows, struct tv_error *err)
{
    return tv_join_add_placed(join, run, index, rows, NULL, err);
}

/* --- several methods that are one --- */

/* The methods of a run that are one to a join, as groups. */
struct merging {
    struct tv_join *join;
    const struct tv_run_numbers *numbers;
    const uint32_t *places;     /* by method of the run */
    uint32_t *group_of_place;   /* TV_NONE: no other method of the run has the place */
    uint32_t *group_of;         /* by method of the run */
    struct tv_method_row *rows; /* by group */
    uint32_t group_count;
};

/* Numbers the places that several methods of the run have. */
static void number_groups(struct merging *merging)
{
    const uint32_t count = merging->numbers->profile.row_count;
    const uint32_t seen = TV_NONE - 1;
    for (size_t i = 0; i < merging->join->count; i++)
        merging->group_of_place[i] = TV_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (merging->places[i] == TV_NONE)
            continue;
        uint32_t *group = &merging->group_of_place[merging->places[i]];
        if (*group == TV_NONE)
            *group = seen;
        else if (*group == seen)
            *group = merging->group_count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = merging->places[i];
        const uint32_t group = place == TV_NONE ? TV_NONE : merging->group_of_place[place];
        merging->group_of[i] = group == seen ? TV_NONE : group;
    }
}

/* Replaces what the sums of rows have counted twice. How many calls there are stays: between two
 * methods it is not that of the tree (compare/run_part.h). */
static void put_group(struct merging *merging, uint32_t place, size_t run)
{
    struct tv_join *join = merging->join;
    const struct tv_method_row *of_group = &merging->rows[merging->group_of_place[place]];
    struct tv_method_row *row = &join->numbers[place * join->run_count + run];
    const uint64_t calls = row->numbers.calls + row->recursive_calls;
    row->recursive_calls = of_group->recursive_calls < calls ? of_group->recursive_calls : calls;
    row->numbers.calls = calls - row->recursive_calls;
    memcpy(row->numbers.inclusive_ns, of_group->numbers.inclusive_ns,
           sizeof(row->numbers.inclusive_ns));
}

static enum tv_code merge_groups(struct merging *merging, size_t run, struct tv_error *err)
{
    const struct tv_alloc *alloc = merging->join->alloc;
    const struct tv_run_numbers *numbers = merging->numbers;
    number_groups(merging);
    const struct tv_method_groups groups = {merging->group_of, merging->group_count, numbers->root};
    const size_t count = merging->group_count;
    TV_TRY(tv_alloc_new(alloc, &merging->rows, count, sizeof(*merging->rows), err));
    enum tv_code code = tv_groups_rows(&groups, &numbers->sums, merging->rows, alloc, err);
    for (uint32_t i = 0; code == TV_OK && i < merging->join->count; i++) {
        if (merging->group_of_place[i] < merging->group_count)
            put_group(merging, i, run);
    }
    tv_alloc_release(alloc, &merging->rows, count, sizeof(*merging->rows));
    return code;
}

/* Mends the inclusive times of methods that are one: a call in a call of another counts once. */
static enum tv_code mend_merged(struct tv_join *join, size_t run,
                                const struct tv_run_numbers *numbers, const uint32_t *places,
                                struct tv_error *err)
{
    const struct tv_alloc *alloc = join->alloc;
    const size_t count = numbers->profile.row_count;
    struct merging merging = {.join = join, .numbers = numbers, .places = places};
    enum tv_code code =
        tv_alloc_new(alloc, &merging.group_of_place, join->count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &merging.group_of, count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = merge_groups(&merging, run, err);
    tv_alloc_release(alloc, &merging.group_of, count, sizeof(uint32_t));
    tv_alloc_release(alloc, &merging.group_of_place, join->count, sizeof(uint32_t));
    return code;
}

/* --- what a method calls --- */

/* Makes room for the callees of all methods that are known. */
static enum tv_code hold_callees(struct tv_join *join, struct tv_error *err)
{
    const size_t count = join->count * join->run_count;
    TV_TRY(tv_alloc_grow(join->alloc, &join->callees, &join->callees_cap, count,
                         sizeof(*join->callees), err));
    for (; join->callees_count < count; join->callees_count++)
        join->callees[join->callees_count] = 0;
    return TV_OK;
}

/* A number of 1 to 65,536 that stands for a method. */
static double number_of_place(uint32_t place)
{
    return (double)(((place + 1) * UINT64_C(0x9e3779b97f4a7c15)) >> 48) + 1;
}

/* Adds to each caller what a node is called. A parent stands before its children. */
static void add_callees(struct tv_join *join, size_t run, const struct tv_run_numbers *numbers,
                        const uint32_t *places, uint8_t *is_below)
{
    const struct tv_sums *sums = &numbers->sums;
    const uint32_t threads = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < threads; i++) {
        const struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            const uint32_t parent = sums->parent[node];
            const bool is_called = parent != TV_NONE && is_below[parent];
            const uint32_t place = places[sums->method[node]];
            is_below[node] =
                is_called || numbers->root == TV_NONE || sums->method[node] == numbers->root;
            const uint32_t caller = is_called ? places[sums->method[parent]] : TV_NONE;
            if (place != TV_NONE && caller != TV_NONE)
                join->callees[caller * join->run_count + run] +=
                    number_of_place(place) * (double)tv_sums_calls(sums, node);
        }
    }
}

static enum tv_code note_callees(struct tv_join *join, size_t run,
                                 const struct tv_run_numbers *numbers, const uint32_t *places,
                                 struct tv_error *err)
{
    const size_t count = numbers->sums.node_count;
    uint8_t *is_below;
    if (numbers->is_between)
        return TV_OK;
    TV_TRY(hold_callees(join, err));
    TV_TRY(tv_alloc_new(join->alloc, &is_below, count, sizeof(*is_below), err));
    add_callees(join, run, numbers, places, is_below);
    tv_alloc_release(join->alloc, &is_below, count, sizeof(*is_below));
    return TV_OK;
}

enum tv_code tv_join_add_run(struct tv_join *join, size_t run, const struct tv_run_numbers *numbers,
                             uint32_t *places, struct tv_error *err)
{
    const struct tv_profile *profile = &numbers->profile;
    uint32_t *own = NULL;
    if (!places)
        TV_TRY(tv_alloc_new(join->alloc, &own, profile->row_count, sizeof(*own), err));
    uint32_t *to = places ? places : own;
    enum tv_code code = tv_join_add_placed(join, run, profile->index, profile->rows, to, err);
    if (code == TV_OK && join->run_merged)
        code = mend_merged(join, run, numbers, to, err);
    if (code == TV_OK)
        code = note_callees(join, run, numbers, to, err);
    tv_alloc_release(join->alloc, &own, profile->row_count, sizeof(*own));
    return code;
}

static struct tv_stable_name whole(struct tv_str name)
{
    return (struct tv_stable_name){.stem = name};
}

static bool has_names(const struct tv_row_names *a, const struct tv_row_names *b)
{
    return tv_str_equal(a->class_name, b->class_name) && tv_str_equal(a->name, b->name) &&
           tv_str_equal(a->signature, b->signature);
}

enum tv_code tv_join_add_named(struct tv_join *join, size_t run, const struct tv_row_names *rows,
                               size_t count, uint32_t *places, struct tv_error *err)
{
    const struct tv_method_row nothing = {.recursive_calls = 0};
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        number = i && has_names(&rows[i], &rows[i - 1]) ? number + 1 : 0;
        struct tv_joined_method method = {.class_name = whole(rows[i].class_name),
                                          .name = whole(rows[i].name),
                                          .signature = rows[i].signature,
                                          .number = number};
        TV_TRY(add_row(join, run, &method, &nothing, &places[i], err));
    }
    return TV_OK;
}

static struct tv_joined_method joined_of_inlined(const struct tv_inlined_name *inlined)
{
    return (struct tv_joined_method){.class_name = tv_stable_class(inlined->class_name),
                                     .name = tv_stable_method(inlined->name),
                                     .signature = inlined->signature};
}

/* One method that runs inside another, with the calls of that one, in the place of its own. */
static enum tv_code add_inlined(struct tv_join *join, size_t run, const struct tv_index *index,
                                uint32_t into, const struct tv_method_row *host,
                                const struct tv_inlined_name *inlined, struct tv_error *err)
{
    struct tv_joined_method method = joined_of_inlined(inlined);
    uint32_t place;
    TV_TRY(add_row(join, run, &method, host, &place, err));
    struct tv_joined_method *joined = &join->methods[place];
    const struct tv_joined_method of_host = tv_joined_of(index, into);
    struct tv_buffer text;
    if (joined->inlined_into.len)
        return TV_OK;
    tv_buffer_init(&text, join->alloc);
    enum tv_code code = tv_joined_text(&of_host, &text, err);
    if (code == TV_OK)
        code = tv_arena_keep(&join->keys, tv_buffer_view(&text), &joined->inlined_into, err);
    tv_buffer_release(&text);
    return code;
}

enum tv_code tv_join_add_inlined(struct tv_join *join, size_t run, const struct tv_index *index,
                                 const struct tv_method_row *rows, struct tv_error *err)
{
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_method_row host = {
            .numbers = {.calls = rows ? rows[i].numbers.calls : index->methods[i].calls},
            .recursive_calls = rows ? rows[i].recursive_calls : index->methods[i].recursive_calls};
        struct tv_str rest = tv_method_inlined(index, i);
        struct tv_inlined_name inlined;
        if (!host.numbers.calls && !host.recursive_calls)
            continue;
        while (tv_inlined_next(&rest, &inlined))
            TV_TRY(add_inlined(join, run, index, i, &host, &inlined, err));
    }
    return TV_OK;
}

enum tv_code tv_join_find_joined(struct tv_join *join, const struct tv_joined_method *method,
                                 uint32_t *place, struct tv_error *err)
{
    struct tv_str key;
    TV_TRY(make_key(join, method, &key, err));
    *place = tv_text_map_get(&join->places, key); /* TV_MAP_NONE is TV_NONE */
    return TV_OK;
}

enum tv_code tv_join_find(struct tv_join *join, const struct tv_index *index, uint32_t method_ix,
                          uint32_t *place, struct tv_error *err)
{
    const struct tv_joined_method method = tv_joined_of(index, method_ix);
    return tv_join_find_joined(join, &method, place, err);
}

enum tv_code tv_join_find_inlined(struct tv_join *join, const struct tv_inlined_name *inlined,
                                  uint32_t *place, struct tv_error *err)
{
    const struct tv_joined_method method = joined_of_inlined(inlined);
    return tv_join_find_joined(join, &method, place, err);
}

static int compare_stable(const struct tv_stable_name *a, const struct tv_stable_name *b)
{
    int order = tv_str_compare(a->stem, b->stem);
    return order ? order : (int)a->is_cut - (int)b->is_cut;
}

/* Methods without a name are ordered by their id, so that the order is total. */
static int compare_methods(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_joined_method *methods = ctx;
    int order = compare_stable(&methods[a].class_name, &methods[b].class_name);
    if (!order)
        order = compare_stable(&methods[a].name, &methods[b].name);
    if (!order)
        order = tv_str_compare(methods[a].signature, methods[b].signature);
    if (!order)
        order = tv_str_compare(methods[a].build, methods[b].build);
    if (!order)
        order = (methods[a].number > methods[b].number) - (methods[a].number < methods[b].number);
    return order ? order : (methods[a].id > methods[b].id) - (methods[a].id < methods[b].id);
}

/* Brings rows of `row_len` bytes into an order, of which row i is the one that was at order[i].
 * Each cycle of the order is moved through a room for one row, since of many runs a second copy of
 * all rows is a hundred megabytes. */
static enum tv_code reorder(const struct tv_alloc *alloc, const uint32_t *order, size_t count,
                            void *rows, size_t row_len, struct tv_error *err)
{
    unsigned char *of = rows;
    unsigned char *room;
    bool *is_placed;
    TV_TRY(tv_alloc_new(alloc, &room, 1, row_len, err));
    enum tv_code code = tv_alloc_new(alloc, &is_placed, count, sizeof(*is_placed), err);
    for (size_t first = 0; code == TV_OK && first < count; first++) {
        size_t at = first;
        if (is_placed[first])
            continue;
        memcpy(room, of + first * row_len, row_len);
        for (; order[at] != first; at = order[at]) {
            memcpy(of + at * row_len, of + order[at] * row_len, row_len);
            is_placed[at] = true;
        }
        memcpy(of + at * row_len, room, row_len);
        is_placed[at] = true;
    }
    if (code == TV_OK)
        tv_alloc_release(alloc, &is_placed, count, sizeof(*is_placed));
    tv_alloc_release(alloc, &room, 1, row_len);
    return code;
}

/* Methods and their numbers are put in the same order, which does not depend on the order of runs.
 */
static enum tv_code put_in_order(struct tv_join *join, const uint32_t *order, struct tv_error *err)
{
    TV_TRY(reorder(join->alloc, order, join->count, join->methods, sizeof(*join->methods), err));
    TV_TRY(reorder(join->alloc, order, join->count, join->numbers,
                   join->run_count * sizeof(*join->numbers), err));
    if (join->callees) {
        TV_TRY(hold_callees(join, err));
        TV_TRY(reorder(join->alloc, order, join->count, join->callees,
                       join->run_count * sizeof(*join->callees), err));
    }
    TV_TRY(tv_alloc_new(join->alloc, &join->sorted, join->count, sizeof(*join->sorted), err));
    for (uint32_t i = 0; i < join->count; i++)
        join->sorted[order[i]] = i;
    return TV_OK;
}

enum tv_code tv_join_note_cut(struct tv_join *join, size_t run, uint64_t calls,
                              struct tv_error *err)
{
    if (!join->cut_calls)
        TV_TRY(tv_alloc_new(join->alloc, &join->cut_calls, join->run_count,
                            sizeof(*join->cut_calls), err));
    join->cut_calls[run] = calls;
    return TV_OK;
}

/* The columns of all methods stand one behind the other with a place for each run, so they are
 * moved together in place: a kept number never moves to a place that is still to be read. */
enum tv_code tv_join_keep_runs(struct tv_join *join, const bool *is_kept, struct tv_error *err)
{
    const size_t count = join->run_count;
    uint64_t *cut_calls = NULL;
    size_t to = 0;
    size_t kept = 0;
    for (size_t run = 0; run < count; run++)
        kept += is_kept[run];
    if (join->cut_calls)
        TV_TRY(tv_alloc_new(join->alloc, &cut_calls, kept, sizeof(*cut_calls), err));
    for (size_t run = 0, at = 0; cut_calls && run < count; run++) {
        if (is_kept[run])
            cut_calls[at++] = join->cut_calls[run];
    }
    tv_alloc_release(join->alloc, &join->cut_calls, count, sizeof(*join->cut_calls));
    join->cut_calls = cut_calls;
    if (join->callees)
        TV_TRY(hold_callees(join, err));
    for (size_t method = 0; method < join->count; method++) {
        for (size_t run = 0; run < count; run++) {
            if (!is_kept[run])
                continue;
            if (join->callees)
                join->callees[to] = join->callees[method * count + run];
            join->numbers[to++] = join->numbers[method * count + run];
        }
    }
    join->run_count = kept;
    join->callees_count = join->callees ? join->count * kept : 0;
    return TV_OK;
}

enum tv_code tv_join_finish(struct tv_join *join, struct tv_error *err)
{
    const struct tv_alloc *alloc = join->alloc;
    uint32_t *order;
    tv_text_map_release(&join->places);
    for (size_t i = 0; i < join->count; i++)
        join->merged_count += join->methods[i].is_merged;
    TV_TRY(tv_alloc_new(alloc, &order, join->count, sizeof(*order), err));
    for (size_t i = 0; i < join->count; i++)
        order[i] = (uint32_t)i;
    enum tv_code code = tv_sort(alloc, order, join->count, compare_methods, join->methods, err);
    if (code == TV_OK)
        code = put_in_order(join, order, err);
    tv_alloc_release(alloc, &order, join->count, sizeof(*order));
    return code;
}

/* A method that nothing describes is its id. */
bool tv_joined_is_same(const struct tv_index *a, uint32_t method_of_a, const struct tv_index *b,
                       uint32_t method_of_b)
{
    const struct tv_joined_method of_a = tv_joined_of(a, method_of_a);
    const struct tv_joined_method of_b = tv_joined_of(b, method_of_b);
    if (compare_stable(&of_a.class_name, &of_b.class_name) ||
        compare_stable(&of_a.name, &of_b.name) || !tv_str_equal(of_a.signature, of_b.signature) ||
        !tv_str_equal(of_a.build, of_b.build))
        return false;
    return of_a.class_name.stem.len || of_a.name.stem.len || of_a.signature.len ||
           of_a.id == of_b.id;
}

enum tv_code tv_joined_add_name(struct tv_buffer *out, const struct tv_stable_name *name,
                                struct tv_error *err)
{
    TV_TRY(tv_buffer_append(out, name->stem.at, name->stem.len, err));
    return name->is_cut ? tv_buffer_append(out, "*", 1, err) : TV_OK;
}

/* A method without any text is named by its id, as in all answers. */
enum tv_code tv_joined_text(const struct tv_joined_method *method, struct tv_buffer *out,
                            struct tv_error *err)
{
    out->len = 0;
    TV_TRY(tv_joined_add_name(out, &method->class_name, err));
    if (out->len && method->name.stem.len)
        TV_TRY(tv_buffer_append(out, ".", 1, err));
    TV_TRY(tv_joined_add_name(out, &method->name, err));
    if (out->len && method->signature.len)
        TV_TRY(tv_buffer_append(out, " ", 1, err));
    TV_TRY(tv_buffer_append(out, method->signature.at, method->signature.len, err));
    if (out->len)
        return TV_OK;
    char id[24];
    int len = snprintf(id, sizeof(id), "(0x%llx)", (unsigned long long)method->id);
    return tv_buffer_append(out, id, (size_t)len, err);
}
