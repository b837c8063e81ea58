/*
 * A pattern for names of methods: a substring, or `/expression/` and `/expression/i` as PCRE2
 * understands it.
 *
 * A substring is compared without regard to case unless it has an upper-case letter (smart case).
 * An expression works on UTF-8, takes invalid UTF-8 for characters that match nothing, and has
 * limits on its work, so that no expression can hang a reader. Text is that of tv_method_text.
 *
 * One thread at a time per pattern.
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
    struct tv_str needle; /* borrowed */
    enum tv_case letter_case;
    struct tv_regex *regex; /* NULL: a substring */
};

void tv_name_pattern_init(struct tv_name_pattern *pattern, const struct tv_alloc *alloc);
void tv_name_pattern_release(struct tv_name_pattern *pattern);
/* TV_ERR_ARGUMENT when the expression is wrong, with its place. `pattern` is borrowed; empty
 * matches everything. */
enum tv_code tv_name_pattern_compile(struct tv_name_pattern *pattern, struct tv_str text,
                                     struct tv_error *err) TV_MUST_CHECK;
/* TV_ERR_LIMIT when the expression needs too much work on this text. */
enum tv_code tv_name_pattern_matches(const struct tv_name_pattern *pattern, struct tv_str text,
                                     bool *is_match, struct tv_error *err) TV_MUST_CHECK;

/*
 * Which methods a filter lets through: pattern empty lets all, `hidden` is a list of package
 * prefixes, separated by commas, of which a class begins with none ("java." hides java.util.List).
 */
struct tv_method_filter {
    const struct tv_alloc *alloc;
    uint8_t *matches; /* one per method, 1 or 0: by the pattern; NULL: all do */
    uint8_t *hidden;  /* one per method: its class is in a hidden package; NULL: none is */
    uint32_t count;
};

void tv_method_filter_init(struct tv_method_filter *filter, const struct tv_alloc *alloc);
void tv_method_filter_release(struct tv_method_filter *filter);
enum tv_code tv_method_filter_make(struct tv_method_filter *filter, const struct tv_index *index,
                                   struct tv_str pattern, struct tv_str hidden,
                                   struct tv_error *err) TV_MUST_CHECK;

/* Whether `class_name` is in one of the packages of the list. */
bool tv_class_in_packages(struct tv_str class_name, struct tv_str packages);

TV_INLINE bool tv_method_filter_shows(const struct tv_method_filter *filter, uint32_t method_ix)
{
    return (!filter->matches || filter->matches[method_ix]) &&
           (!filter->hidden || !filter->hidden[method_ix]);
}

#endif
