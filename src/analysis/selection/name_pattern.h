/*
 * Patterns for names of methods: a substring, or an expression, written `/expression/` or
 * `/expression/i`, in the syntax of PCRE2.
 *
 * A substring is compared without regard to case unless it has an upper-case letter (smart case),
 * and is also looked for as tv_method_text would write it, so java/util/List#get finds
 * java.util.List.get (spelling.h).
 * An expression works on UTF-8, takes invalid UTF-8 for characters that match nothing, and has
 * limits on its work, so that no expression can hang a reader. Patterns are compared with whole
 * names (tv_method_text).
 *
 * A pattern is used by one thread at a time.
 */
#ifndef TV_ANALYSIS_SELECTION_NAME_PATTERN_H
#define TV_ANALYSIS_SELECTION_NAME_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "index/index.h"

struct tv_regex;

struct tv_name_pattern {
    const struct tv_alloc *alloc;
    struct tv_str needle;     /* the substring; borrowed */
    struct tv_buffer spelled; /* the substring as tv_method_text would write it */
    enum tv_case letter_case; /* how the substring is compared */
    struct tv_regex *regex;   /* the compiled expression; NULL: a substring */
};

void tv_name_pattern_init(struct tv_name_pattern *pattern, const struct tv_alloc *alloc);
void tv_name_pattern_release(struct tv_name_pattern *pattern);
/* Compiles the text of a pattern. TV_ERR_ARGUMENT, with the character's number, when an expression
 * is wrong. The text is borrowed; an empty one matches everything. */
enum tv_code tv_name_pattern_compile(struct tv_name_pattern *pattern, struct tv_str text,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Whether the pattern matches somewhere in `text`. TV_ERR_LIMIT when an expression needs too much
 * work for it. */
enum tv_code tv_name_pattern_matches(const struct tv_name_pattern *pattern, struct tv_str text,
                                     bool *is_match, struct tv_error *err) TV_MUST_CHECK;

/* How many methods with calls have the text in their names without regard to case; 0 where the case
 * of letters does not count: in an expression, and in a text without capital letters. */
enum tv_code tv_name_pattern_count_folded(const struct tv_index *index, struct tv_str text,
                                          const struct tv_alloc *alloc, uint32_t *count,
                                          struct tv_error *err) TV_MUST_CHECK;

/* Which methods a view shows: those that match a pattern, and whose class is not in a hidden
 * package. Hidden packages are prefixes of class names, separated by commas: "java." hides
 * java.util.List, and so does "java/". */
struct tv_method_filter {
    const struct tv_alloc *alloc;
    uint8_t *matches; /* one per method: 1 if it matches the pattern, else 0; NULL: all match */
    /* One per method: 1 if its class is in a hidden package, else 0; NULL: none is. */
    uint8_t *hidden;
    uint32_t count; /* methods of the index */
};

void tv_method_filter_init(struct tv_method_filter *filter, const struct tv_alloc *alloc);
void tv_method_filter_release(struct tv_method_filter *filter);
/* Compares every method once. An empty `pattern` matches all, an empty `hidden` hides none. Fails
 * as a pattern does. */
enum tv_code tv_method_filter_make(struct tv_method_filter *filter, const struct tv_index *index,
                                   struct tv_str pattern, struct tv_str hidden,
                                   struct tv_error *err) TV_MUST_CHECK;

/* Whether `class_name` begins with one of the prefixes of the list. */
bool tv_class_in_packages(struct tv_str class_name, struct tv_str packages);

TV_INLINE bool tv_method_filter_shows(const struct tv_method_filter *filter, uint32_t method_ix)
{
    return (!filter->matches || filter->matches[method_ix]) &&
           (!filter->hidden || !filter->hidden[method_ix]);
}

#endif
