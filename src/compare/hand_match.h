/*
 * Methods that are matched by hand: an old one that was renamed, or has another name in each build,
 * and the new one that it became.
 *
 * The old trace is looked at with the names of the new one (tv_matched_index_make), so whatever
 * compares by names follows the matches without knowing of them. Another old method that has that
 * name already is told apart by " (old)" behind its own.
 */
#ifndef TV_COMPARE_HAND_MATCH_H
#define TV_COMPARE_HAND_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/text_map.h"
#include "base/str.h"
#include "compare/method_join.h"
#include "compare/side.h"
#include "index/index.h"

#define TV_HAND_MATCHES_MOST 64u

struct tv_hand_match {
    /* As they were given, borrowed: whole names, "class.name signature"; with "*" for what is not
     * stable, or without the signature where one method alone has the rest. */
    struct tv_str names[TV_SIDE_COUNT];
    bool is_found[TV_SIDE_COUNT];
    struct tv_row_names is; /* what the new method is called; in the arena */
    /* Its source file, where that says of which build the name is a short one; else empty. */
    struct tv_str file;
    /* What the methods that were found first are to joins (tv_joined_text), in the arena. */
    struct tv_str joined[TV_SIDE_COUNT];
};

struct tv_hand_matches {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    struct tv_text_map places[TV_SIDE_COUNT]; /* of the names */
    struct tv_text_map taken; /* what new methods that were found are to joins: tv_joined_text */
    struct tv_hand_match of[TV_HAND_MATCHES_MOST];
    size_t count;
};

/* The old index under other names. The numbers are those of the index that it was made of, which
 * must outlive it. */
struct tv_matched_index {
    const struct tv_alloc *alloc;
    struct tv_index index; /* never released by itself */
    struct tv_index_method *methods;
    char *text;
    size_t text_cap;
};

void tv_hand_matches_init(struct tv_hand_matches *matches, const struct tv_alloc *alloc);
void tv_hand_matches_release(struct tv_hand_matches *matches);
/* TV_ERR_ARGUMENT: a name is empty or is matched already; TV_ERR_LIMIT: there are too many. */
enum tv_code tv_hand_matches_add(struct tv_hand_matches *matches, struct tv_str old_name,
                                 struct tv_str new_name, struct tv_error *err) TV_MUST_CHECK;
/* Takes what new methods are called from a new trace, where no other one has told it. Comes before
 * old traces are looked at. TV_ERR_ARGUMENT: a name without its signature is that of several. */
enum tv_code tv_hand_matches_look(struct tv_hand_matches *matches, const struct tv_index *new_index,
                                  struct tv_error *err) TV_MUST_CHECK;
/* TV_ERR_NOT_FOUND: a name is that of no method of the traces of that side that were looked at. */
enum tv_code tv_hand_matches_check(const struct tv_hand_matches *matches, enum tv_side side,
                                   struct tv_error *err) TV_MUST_CHECK;

void tv_matched_index_init(struct tv_matched_index *made, const struct tv_alloc *alloc);
void tv_matched_index_release(struct tv_matched_index *made);
/* Fills an initialised view of an old index, and notes which names were found in it. Errors are
 * those of tv_hand_matches_look. */
enum tv_code tv_matched_index_make(struct tv_matched_index *made, struct tv_hand_matches *matches,
                                   const struct tv_index *old_index,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
