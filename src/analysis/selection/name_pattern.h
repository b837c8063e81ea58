/*
 * Patterns for names of methods: a substring, or an expression, written `/expression/` or
 * `/expression/i`, in the syntax of PCRE2 (in a page without a server, of the browser: regex.h).
 *
 * A substring is compared without regard to case unless it has an upper-case letter (smart case),
 * and is also looked for as tv_method_text would write it, so java/util/List#get finds
 * java.util.List.get (spelling.h). One with a "(" is also looked for in names as Java writes them:
 * "charAt(int", "inflate(int,android.view.ViewGroup)" (java_text.h). One that a table cut is also
 * looked for as it was cut: "...decode(...)" (shortened.h).
 * A substring behind a "=" is found as a whole word alone: "=HashMap" finds HashMap.put and
 * HashMap$Node.getKey, and not ConcurrentHashMap.put.
 * An expression works on UTF-8, takes invalid UTF-8 for characters that match nothing, and has
 * limits on its work, so that no expression can hang a reader. Patterns are compared with whole
 * names (tv_method_text); an expression that matches none of it also with the name without its
 * signature, and with the name as Java writes it, so that "/charAt$/" finds what is shown.
 *
 * A pattern is used by one thread at a time.
 */
#ifndef TV_ANALYSIS_SELECTION_NAME_PATTERN_H
#define TV_ANALYSIS_SELECTION_NAME_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "index/index.h"

struct tv_regex;

struct tv_name_pattern {
    const struct tv_alloc *alloc;
    struct tv_str needle;     /* the substring; borrowed */
    struct tv_buffer spelled; /* the substring as tv_method_text would write it */
    struct tv_buffer java;    /* the substring as tv_method_java_text would; empty without a "(" */
    enum tv_case letter_case; /* how the substring is compared */
    bool is_word;             /* no letter, digit or "_" stands before or behind it */
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

/* Whether the pattern matches the name of a method, as is told above, or the name that the file has
 * where a mapping gave the method another one. `text` is room for names. */
enum tv_code tv_name_pattern_matches_method(const struct tv_name_pattern *pattern,
                                            const struct tv_index *index, uint32_t method_ix,
                                            struct tv_buffer *text, bool *is_match,
                                            struct tv_error *err) TV_MUST_CHECK;

/* What compares a pattern with many methods calls this before each, with the number of the method
 * and the room for names. Each time that an expression may have taken some 50 milliseconds, the
 * room is given back, so that the next name asks the allocator for it: one that has a limit refuses
 * memory to an answer for which nobody waits any more (base/memory/limit.h). */
void tv_name_pattern_give_way(uint32_t number, struct tv_buffer *text);

/* How many methods with calls only the case of letters keeps from being found. 0 where some are
 * found, and where case does not count: in an expression, and in a text without capital letters. */
enum tv_code tv_name_pattern_count_folded(const struct tv_index *index, struct tv_str text,
                                          const struct tv_alloc *alloc, uint32_t *count,
                                          struct tv_error *err) TV_MUST_CHECK;

/*
 * Which methods a question is about. Packages are prefixes of class names, separated by commas:
 * "java." has java.util.List in it, and so have "java/" and "java.*", as a rule has it. All texts
 * are borrowed; zeros are about all methods.
 */
struct tv_method_filter_opts {
    /* Name patterns; a method that one of them matches is asked for. None: all methods are. */
    const struct tv_str *patterns;
    size_t pattern_count;
    struct tv_str hidden;  /* packages that are taken out of stacks: their time is their callers' */
    struct tv_str dropped; /* packages without rows; no number changes for that */
};

/* The options applied to the methods of an index: a byte for each method, 1 or 0. */
struct tv_method_filter {
    const struct tv_alloc *alloc;
    uint8_t *matches; /* the method matches a pattern; NULL: all do */
    uint8_t *hidden;  /* its class is in a hidden package; NULL: none is */
    uint8_t *dropped; /* its class is in a dropped package; NULL: none is */
    uint32_t count;   /* methods of the index */
};

void tv_method_filter_init(struct tv_method_filter *filter, const struct tv_alloc *alloc);
void tv_method_filter_release(struct tv_method_filter *filter);
/* Compares every method once. Fails as a pattern does. */
enum tv_code tv_method_filter_make(struct tv_method_filter *filter, const struct tv_index *index,
                                   const struct tv_method_filter_opts *opts,
                                   struct tv_error *err) TV_MUST_CHECK;

/* Whether the method has a row. */
TV_INLINE bool tv_method_filter_shows(const struct tv_method_filter *filter, uint32_t method_ix)
{
    return (!filter->matches || filter->matches[method_ix]) &&
           (!filter->hidden || !filter->hidden[method_ix]) &&
           (!filter->dropped || !filter->dropped[method_ix]);
}

#endif
