/*
 * The methods of several runs, matched by class, name and signature, and where these are short
 * names of a build, by that: a row for each method that any run has, with its numbers in every run.
 * Names are matched by what is stable of them (base/names/stable_name.h).
 */
#ifndef TV_COMPARE_METHOD_JOIN_H
#define TV_COMPARE_METHOD_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/memory/text_map.h"
#include "base/names/stable_name.h"
#include "base/str.h"
#include "compare/run_part.h"
#include "compare/side.h"
#include "index/index.h"

struct tv_joined_method {
    struct tv_stable_name class_name; /* the texts are in the join's arena */
    struct tv_stable_name name;
    struct tv_str signature;
    /* The id of the build that the name is a short one of, which is another method's in each
     * build; empty: it is a name of the source. */
    struct tv_str build;
    uint64_t id;     /* shown where nothing describes the method */
    uint32_t number; /* among rows of one run with the same names (tv_join_add_named); else 0 */
    /* What it may be, as its name lists them (base/names/ambiguous_name.h), or more than its name
     * does; empty: the name is that of one method. */
    struct tv_str alternatives;
    /* The whole name of a method that it was inlined into, in a join of tv_join_add_inlined. */
    struct tv_str inlined_into;
    /* In a comparison: a mapping of that side says that it runs inside others, which are called. */
    bool is_inlined_on[TV_SIDE_COUNT];
    /* In a comparison: that side calls a method that is told as one of several, and may be this
     * one; or this one is of several, and that side calls one of them by its own name. */
    bool is_listed_on[TV_SIDE_COUNT];
    bool has_other_lists;   /* runs tell different lists behind its name */
    bool has_other_inlined; /* the same: into it, what the other side calls */
    bool is_nameless;       /* nothing describes it: its name is its id, and it may be any method */
    bool is_merged;         /* several methods of one run are this one */
    size_t last_run;        /* the last run that has it */
};

/* What a row of a run is called. */
struct tv_row_names {
    struct tv_str class_name;
    struct tv_str name;
    struct tv_str signature;
};

struct tv_inlined_name;

struct tv_join {
    const struct tv_alloc *alloc;
    struct tv_arena keys;
    struct tv_text_map places; /* of keys, while runs are added */
    char *room; /* of the next key, in the arena: what was written there last was known already */
    size_t room_len;
    struct tv_joined_method *methods;
    size_t count, cap;
    size_t run_count;
    struct tv_method_row *numbers; /* run_count of each method */
    size_t numbers_cap;
    /* What the calls of a method called in a run, in the order of `numbers`: the calls of each
     * callee, times a number of that callee, so that another callee is another sum. NULL: no run
     * has told. */
    double *callees;
    size_t callees_cap;
    size_t callees_count; /* that are filled; the rest is of methods that came later */
    /* Of each run: calls of methods that were not added, although the run has them. Of a method
     * that has no calls in such a run nothing is known. NULL: all methods of all runs were. */
    uint64_t *cut_calls;
    size_t merged_count; /* methods that are joined of several */
    size_t run_merged; /* methods of the run that was added last that were another's row already */
    uint32_t *sorted;  /* finished: where a method stands now, by its place while runs were added */
};

void tv_join_init(struct tv_join *join, const struct tv_alloc *alloc);
void tv_join_release(struct tv_join *join);
/* Begins a join of `run_count` runs. */
void tv_join_begin(struct tv_join *join, size_t run_count);
/* Adds a run, the next one: the methods that have calls or time in it. `rows` has one for each
 * method of the index. Neither is needed afterwards. Rows that are one method to the join are added
 * up, which for inclusive times is right only where no call of one contains a call of another;
 * where they may, tv_join_add_run knows better. */
enum tv_code tv_join_add(struct tv_join *join, size_t run, const struct tv_index *index,
                         const struct tv_method_row *rows, struct tv_error *err) TV_MUST_CHECK;
/* Adds a run as tv_join_add does, and sets places[method of the index] to the method's place in the
 * join, which stays; TV_NONE: it has no numbers. */
enum tv_code tv_join_add_placed(struct tv_join *join, size_t run, const struct tv_index *index,
                                const struct tv_method_row *rows, uint32_t *places,
                                struct tv_error *err) TV_MUST_CHECK;
/* Adds the numbers of a run, the next one: the inclusive time of methods that are one to the join
 * is that of their outermost calls, and what each method calls is noted, where the run tells it.
 * places may be NULL, else it is as above. */
enum tv_code tv_join_add_run(struct tv_join *join, size_t run, const struct tv_run_numbers *numbers,
                             uint32_t *places, struct tv_error *err) TV_MUST_CHECK;
/* Adds rows of a run by their names as they are, without numbers: nothing is cut, and rows of the
 * same names, which stand side by side, are matched in their order. places[row] as above. */
enum tv_code tv_join_add_named(struct tv_join *join, size_t run, const struct tv_row_names *rows,
                               size_t count, uint32_t *places, struct tv_error *err) TV_MUST_CHECK;
/* Adds the methods that a mapping says were inlined into methods with calls in the run, with the
 * calls of these: how often they ran themselves is not recorded. `rows` has the calls of each
 * method of the index; NULL: they are those of the whole run. */
enum tv_code tv_join_add_inlined(struct tv_join *join, size_t run, const struct tv_index *index,
                                 const struct tv_method_row *rows,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Notes that the run has more methods than are added, and their calls. */
enum tv_code tv_join_note_cut(struct tv_join *join, size_t run, uint64_t calls,
                              struct tv_error *err) TV_MUST_CHECK;
/* The place of a method of any run among those that were added, before they are sorted. TV_NONE: no
 * run that was added has it. */
enum tv_code tv_join_find(struct tv_join *join, const struct tv_index *index, uint32_t method_ix,
                          uint32_t *place, struct tv_error *err) TV_MUST_CHECK;
/* The same of a method of another join. */
enum tv_code tv_join_find_joined(struct tv_join *join, const struct tv_joined_method *method,
                                 uint32_t *place, struct tv_error *err) TV_MUST_CHECK;
/* The same of a method that was inlined. */
enum tv_code tv_join_find_inlined(struct tv_join *join, const struct tv_inlined_name *inlined,
                                  uint32_t *place, struct tv_error *err) TV_MUST_CHECK;
/* Leaves runs out, when all are there: is_kept has one for each, and the others keep their order.
 */
enum tv_code tv_join_keep_runs(struct tv_join *join, const bool *is_kept,
                               struct tv_error *err) TV_MUST_CHECK;
/* Sorts the methods by name, when all runs are there. */
enum tv_code tv_join_finish(struct tv_join *join, struct tv_error *err) TV_MUST_CHECK;

TV_INLINE const struct tv_method_row *tv_join_row(const struct tv_join *join, size_t method,
                                                  size_t run)
{
    return &join->numbers[method * join->run_count + run];
}

/* How often the method was called in the run, recursive calls too. */
TV_INLINE uint64_t tv_join_calls(const struct tv_join *join, size_t method, size_t run)
{
    const struct tv_method_row *row = tv_join_row(join, method, run);
    return row->numbers.calls + row->recursive_calls;
}

/* The calls of a run whose methods are not here. */
TV_INLINE uint64_t tv_join_cut_calls(const struct tv_join *join, size_t run)
{
    return join->cut_calls ? join->cut_calls[run] : 0;
}

/* What the method calls in one of its calls, as one number; 0: nothing, or no run has told. */
TV_INLINE double tv_join_callees(const struct tv_join *join, size_t method, size_t run)
{
    const uint64_t calls = tv_join_calls(join, method, run);
    return join->callees && calls ? join->callees[method * join->run_count + run] / (double)calls
                                  : 0;
}

/* Whether the numbers of the method in the run are known: where it has none, they are 0. */
TV_INLINE bool tv_join_is_known(const struct tv_join *join, size_t method, size_t run)
{
    return !tv_join_cut_calls(join, run) || tv_join_calls(join, method, run);
}

/* What a join takes a method of an index for; the texts are those of the index. */
struct tv_joined_method tv_joined_of(const struct tv_index *index, uint32_t method_ix);
/* Whether methods of two runs are one to a join. */
bool tv_joined_is_same(const struct tv_index *a, uint32_t method_of_a, const struct tv_index *b,
                       uint32_t method_of_b);

/* Appends a class's or a method's name, with "*" for what is not stable. */
enum tv_code tv_joined_add_name(struct tv_buffer *out, const struct tv_stable_name *name,
                                struct tv_error *err) TV_MUST_CHECK;
/* Replaces the content of `out` by the method's whole name, as tv_method_text writes it, with "*"
 * for what is not stable. */
enum tv_code tv_joined_text(const struct tv_joined_method *method, struct tv_buffer *out,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
