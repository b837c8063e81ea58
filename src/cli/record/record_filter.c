/*
 * What `traceview record` leaves out; see cli/record/record_filter.h. A method is out if a pattern
 * of --skip matches, or if there are patterns of --only and none matches. Patterns are those of the
 * views, and are tried with both ways to write a C++ name, since a user may copy it from the source
 * or from a view.
 */
#include "cli/record/record_filter.h"

#include "base/alloc.h"

void tv_record_filter_init(struct tv_record_filter *filter, const struct tv_alloc *alloc)
{
    filter->only.count = filter->skip.count = 0;
    tv_buffer_init(&filter->name, alloc);
}

static void release_patterns(struct tv_record_patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        tv_name_pattern_release(&patterns->of[i]);
    patterns->count = 0;
}

void tv_record_filter_release(struct tv_record_filter *filter)
{
    release_patterns(&filter->only);
    release_patterns(&filter->skip);
    tv_buffer_release(&filter->name);
}

/* Patterns are compiled once, and tried on every method that a recording names. */
static enum tv_code compile(struct tv_record_patterns *patterns, const struct tv_alloc *alloc,
                            const struct tv_texts *texts, struct tv_error *err)
{
    for (size_t i = 0; i < texts->count; i++) {
        tv_name_pattern_init(&patterns->of[i], alloc);
        patterns->count++;
        TV_TRY(tv_name_pattern_compile(&patterns->of[i], tv_str_from(texts->of[i]), err));
    }
    return TV_OK;
}

enum tv_code tv_record_filter_compile(struct tv_record_filter *filter, const struct tv_texts *only,
                                      const struct tv_texts *skip, struct tv_error *err)
{
    TV_TRY(compile(&filter->only, filter->name.alloc, only, err));
    return compile(&filter->skip, filter->name.alloc, skip, err);
}

/* Makes the name as views show it, but with the class's parts joined by `joint`. */
static enum tv_code make_name(struct tv_buffer *name, const struct tv_trace_method *method,
                              struct tv_str joint, struct tv_error *err)
{
    struct tv_str rest = method->class_name;
    name->len = 0;
    while (rest.len) {
        size_t end = tv_str_find(rest, TV_STR("::"), TV_CASE_EXACT);
        struct tv_str part = {rest.at, end == SIZE_MAX ? rest.len : end};
        TV_TRY(tv_buffer_append(name, part.at, part.len, err));
        TV_TRY(tv_buffer_append(name, joint.at, joint.len, err));
        size_t used = end == SIZE_MAX ? rest.len : end + 2;
        rest = (struct tv_str){rest.at + used, rest.len - used};
    }
    TV_TRY(tv_buffer_append(name, method->name.at, method->name.len, err));
    TV_TRY(tv_buffer_append(name, " ", 1, err));
    return tv_buffer_append(name, method->signature.at, method->signature.len, err);
}

/* Whether a pattern matches a name, in any of the two ways to write a C++ one. */
static enum tv_code match(struct tv_record_filter *filter,
                          const struct tv_record_patterns *patterns,
                          const struct tv_trace_method *method, bool *is_match,
                          struct tv_error *err)
{
    static const struct tv_str joints[] = {{".", 1}, {"::", 2}};
    *is_match = false;
    for (size_t way = 0; way < TV_COUNT_OF(joints) && !*is_match; way++) {
        TV_TRY(make_name(&filter->name, method, joints[way], err));
        for (size_t i = 0; i < patterns->count && !*is_match; i++)
            TV_TRY(tv_name_pattern_matches(&patterns->of[i], tv_buffer_view(&filter->name),
                                           is_match, err));
    }
    return TV_OK;
}

/* --skip comes first: what is skipped is out even where --only names it. */
enum tv_code tv_record_filter_is_out(struct tv_record_filter *filter,
                                     const struct tv_trace_method *method, bool *is_out,
                                     struct tv_error *err)
{
    *is_out = false;
    if (filter->skip.count)
        TV_TRY(match(filter, &filter->skip, method, is_out, err));
    if (*is_out || !filter->only.count)
        return TV_OK;
    TV_TRY(match(filter, &filter->only, method, is_out, err));
    *is_out = !*is_out;
    return TV_OK;
}
