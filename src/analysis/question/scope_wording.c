/*
 * What of a trace a scope is about, in words; see analysis/question/scope_wording.h. Each kind of
 * limit has one phrase, and phrases stand behind each other with commas between them.
 */
#include "analysis/question/scope_wording.h"

#define MS_PLACES                                                                                  \
    6u /* of nanoseconds in milliseconds: a range is told as exactly as it was asked */
#define PATTERN_SHOWN 64u /* bytes of a pattern, or of the packages */
#define PATTERNS_SHOWN 3u

static void put_thread_count(struct tv_out *out, const struct tv_selection *selection)
{
    tv_out_count(out, selection->thread_count);
    tv_out_text(out, selection->thread_count == 1 ? TV_STR(" thread") : TV_STR(" threads"));
}

void tv_scope_put_whole(struct tv_out *out, const struct tv_selection *selection)
{
    tv_out_text(out,
                selection->set ? TV_STR("the chosen calls on ") : TV_STR("the root calls of "));
    if (selection->threads)
        put_thread_count(out, selection);
    else
        tv_out_text(out, TV_STR("all threads"));
}

/* The kinds in which the part is not all of the trace. */
static unsigned kinds_of(const struct tv_scope_part *part)
{
    const struct tv_scope *scope = &part->scope;
    return (scope->selection.has_range ? TV_SCOPE_RANGE : 0u) |
           (scope->selection.threads ? TV_SCOPE_THREADS : 0u) |
           (scope->selection.set || scope->methods.pattern_count ? TV_SCOPE_CALLS : 0u) |
           (scope->methods.hidden.len ? TV_SCOPE_HIDDEN : 0u) |
           (part->levels ? TV_SCOPE_LEVELS : 0u);
}

bool tv_scope_is_part(const struct tv_scope_part *part)
{
    return kinds_of(part) != 0;
}

static void put_range(struct tv_out *out, const struct tv_selection *selection)
{
    tv_out_text(out, TV_STR("from "));
    tv_out_fraction(out, selection->from_ns, MS_PLACES);
    tv_out_text(out, TV_STR(" to "));
    tv_out_fraction(out, selection->to_ns, MS_PLACES);
    tv_out_text(out, TV_STR(" ms"));
}

static void put_patterns(struct tv_out *out, const struct tv_scope_part *part)
{
    const struct tv_method_filter_opts *methods = &part->scope.methods;
    tv_out_text(out, TV_STR("stacks with "));
    if (part->is_redacted)
        tv_out_text(out, TV_STR("a method of a name that was asked for"));
    for (size_t i = 0; !part->is_redacted && i < methods->pattern_count; i++) {
        if (i == PATTERNS_SHOWN) {
            tv_out_text(out, TV_STR(" or others"));
            return;
        }
        tv_out_text(out, i ? TV_STR(" or ") : TV_STR(""));
        tv_out_shown(out, methods->patterns[i], PATTERN_SHOWN);
    }
}

static void put_calls(struct tv_out *out, const struct tv_scope_part *part)
{
    const bool has_patterns = part->scope.methods.pattern_count > 0;
    if (part->scope.selection.set)
        tv_out_text(out, TV_STR("chosen calls and what they called"));
    if (part->scope.selection.set && has_patterns)
        tv_out_text(out, TV_STR(", "));
    if (has_patterns)
        put_patterns(out, part);
}

static void put_hidden(struct tv_out *out, const struct tv_scope_part *part)
{
    tv_out_text(out, TV_STR("without "));
    if (part->is_redacted)
        tv_out_text(out, TV_STR("some packages"));
    else
        tv_out_shown(out, part->scope.methods.hidden, PATTERN_SHOWN);
}

static void put_kind(struct tv_out *out, const struct tv_scope_part *part, unsigned kind)
{
    if (kind == TV_SCOPE_RANGE) {
        put_range(out, &part->scope.selection);
    } else if (kind == TV_SCOPE_THREADS) {
        put_thread_count(out, &part->scope.selection);
    } else if (kind == TV_SCOPE_CALLS) {
        put_calls(out, part);
    } else if (kind == TV_SCOPE_HIDDEN) {
        put_hidden(out, part);
    } else {
        tv_out_count(out, part->levels);
        tv_out_text(out,
                    part->levels == 1 ? TV_STR(" level of calls") : TV_STR(" levels of calls"));
    }
}

enum tv_code tv_scope_word_part(const struct tv_scope_part *part, unsigned kinds,
                                struct tv_buffer *out, struct tv_error *err)
{
    const char *before = "";
    struct tv_out words;
    tv_out_init(&words, tv_buffer_sink(out));
    kinds &= kinds_of(part);
    for (unsigned kind = 1; kind <= kinds; kind <<= 1) {
        if (!(kinds & kind))
            continue;
        tv_out_text(&words, tv_str_from(before));
        put_kind(&words, part, kind);
        before = ", ";
    }
    return tv_out_finish(&words, err);
}
