/*
 * The methods of a join by their whole names, so that a rule finds those of its pattern without a
 * look at all others: a pattern's text before its first star leads to the names that begin with it.
 *
 * A method whose name lists several is found by each of them, and is then one that may be meant; it
 * is meant for sure where all of them are of the pattern, or the pattern lists them, too. One whose
 * list is not complete may be meant by any pattern.
 *
 * A rule is written by people, who copy names from answers, stack traces and source: a pattern that
 * finds nothing for its spelling alone would keep "no calls of" for ever.
 */
#ifndef TV_COMPARE_NAME_INDEX_H
#define TV_COMPARE_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "compare/method_join.h"

struct tv_indexed_name {
    struct tv_str whole; /* with the signature */
    size_t plain_len;    /* of the name without it */
    bool is_list;        /* a whole name that lists several methods */
    bool is_cut;         /* "*" stands for a number in it */
    uint32_t method;     /* place in the join */
    uint32_t part; /* of a name that lists several: place in `parts`; TV_NONE: the whole name */
};

struct tv_name_index {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    struct tv_indexed_name *of; /* by name, bytewise */
    size_t count, cap;
    /* What names list that list several, method by method; an empty one is not told. */
    struct tv_indexed_name *parts;
    size_t part_count, part_cap;
    /* The empty ones of these: the method may be any other. */
    uint32_t *open;
    size_t open_count, open_cap;
};

/* Methods that were found: the memory is used again by the next search. */
struct tv_found_methods {
    const struct tv_alloc *alloc;
    uint32_t *of; /* places in the join */
    size_t count, cap;
    uint32_t *maybe; /* the same of those that may be meant */
    size_t maybe_count, maybe_cap;
    size_t named_count; /* of these, those that list a name of the pattern; they stand first */
};

void tv_name_index_init(struct tv_name_index *names, const struct tv_alloc *alloc);
void tv_name_index_release(struct tv_name_index *names);
void tv_found_methods_release(struct tv_found_methods *found);
/* Makes the index of a finished join, which is not needed afterwards. */
enum tv_code tv_name_index_make(struct tv_name_index *names, const struct tv_join *join,
                                struct tv_error *err) TV_MUST_CHECK;
/* Replaces `found` by the methods whose name, with or without its signature, is of the pattern. A
 * pattern with a "|" is of names that list several as they are written. Names may be written in the
 * ways of people (analysis/selection/spelling.h, base/names/signature_spelling.h), and with a
 * number that is cut off them (base/names/stable_name.h). */
enum tv_code tv_name_index_find(const struct tv_name_index *names, struct tv_str pattern,
                                struct tv_found_methods *found, struct tv_error *err) TV_MUST_CHECK;
/* Whether a pattern is the name of a class or a package, to which methods belong, rather than that
 * of a method; one with * or ? is not looked at. */
enum tv_code tv_name_index_is_group(const struct tv_name_index *names, struct tv_str pattern,
                                    bool *is_group, struct tv_error *err) TV_MUST_CHECK;
/* Replaces `found` by the methods whose whole name ends with a pattern, behind a point: people
 * leave packages out. A pattern with * or ? finds none, and one of a single word none where some
 * name has a single word, too, as functions of C have. */
enum tv_code tv_name_index_find_ending(const struct tv_name_index *names, struct tv_str pattern,
                                       struct tv_found_methods *found,
                                       struct tv_error *err) TV_MUST_CHECK;

#endif
