/*
 * Learning rules; see compare/rule/rule_learn.h.
 *
 * A rule is made twice: of all runs, which is what is written, and of all runs but one, which that
 * one run is held against. The second shows how often the first would cry wolf, since no rule is
 * broken by a run that it was made of.
 */
#include "compare/rule/rule_learn.h"

#include <string.h>

#include "base/memory/sort.h"
#include "base/numbers/median.h"
#include "base/text/utf8.h"
#include "compare/name_index.h"

struct learning {
    struct tv_learned *out;
    const struct tv_join *join;
    const struct tv_learn_opts *opts;
    uint64_t *medians; /* inclusive time of each method */
    double *values;    /* one for each run, then scratch of the same size */
    uint8_t *cried;    /* a byte for each run */
    struct tv_name_index names;
    struct tv_found_methods found;
    struct tv_buffer pattern;
};

void tv_learned_init(struct tv_learned *learned, const struct tv_alloc *alloc)
{
    *learned = (struct tv_learned){.alloc = alloc};
}

void tv_learned_release(struct tv_learned *learned)
{
    tv_alloc_release(learned->alloc, &learned->of, learned->cap, sizeof(*learned->of));
    tv_learned_init(learned, learned->alloc);
}

static uint64_t time_of(const struct learning *learning, size_t method, size_t run)
{
    return tv_join_row(learning->join, method, run)->numbers.inclusive_ns[learning->opts->clock];
}

/* The most that it may have taken: what its thread did after its last record, in a call that was
 * open at the end, may be CPU time, and a gate takes it so. */
static uint64_t most_time_of(const struct learning *learning, size_t method, size_t run)
{
    const struct tv_numbers *numbers = &tv_join_row(learning->join, method, run)->numbers;
    return time_of(learning, method, run) +
           (learning->opts->clock == TV_CLOCK_CPU ? numbers->unrecorded_ns[0] : 0);
}

/* Up to two digits and zeros: 34,712 is 35,000. */
static uint64_t round_up(uint64_t number)
{
    uint64_t unit = 1;
    while (number / unit >= 100)
        unit *= 10;
    return (number / unit + (number % unit != 0)) * unit;
}

/* A rule of all runs but one; SIZE_MAX: of all. */
static struct tv_learned_rule learn_calls(const struct learning *learning, uint32_t method,
                                          size_t without)
{
    struct tv_learned_rule rule = {.method = method, .least_calls = UINT64_MAX};
    for (size_t run = 0; run < learning->join->run_count; run++) {
        uint64_t calls = tv_join_calls(learning->join, method, run);
        if (run == without)
            continue;
        rule.least_calls = calls < rule.least_calls ? calls : rule.least_calls;
        rule.most_calls = calls > rule.most_calls ? calls : rule.most_calls;
    }
    uint64_t width = rule.most_calls - rule.least_calls;
    rule.least_calls -= width < rule.least_calls ? width : rule.least_calls;
    rule.most_calls += width;
    return rule;
}

static struct tv_learned_rule learn_time(const struct learning *learning, uint32_t method,
                                         size_t without)
{
    struct tv_learned_rule rule = {.method = method, .is_time = true};
    for (size_t run = 0; run < learning->join->run_count; run++) {
        uint64_t time_ns = most_time_of(learning, method, run);
        if (run != without && time_ns > rule.time_ns)
            rule.time_ns = time_ns;
    }
    double limit = (double)rule.time_ns * (1 + learning->opts->margin);
    rule.time_ns = round_up(limit < 1e18 ? (uint64_t)limit : (uint64_t)1e18);
    return rule;
}

static bool is_broken(const struct learning *learning, const struct tv_learned_rule *rule,
                      size_t run)
{
    uint64_t calls = tv_join_calls(learning->join, rule->method, run);
    if (rule->is_time)
        return most_time_of(learning, rule->method, run) > rule->time_ns;
    return calls < rule->least_calls || calls > rule->most_calls;
}

static enum tv_code add_rule(struct learning *learning, uint32_t method, bool is_time,
                             struct tv_error *err)
{
    struct tv_learned_rule (*learn)(const struct learning *, uint32_t, size_t) =
        is_time ? learn_time : learn_calls;
    struct tv_learned *out = learning->out;
    size_t runs = learning->join->run_count;
    struct tv_learned_rule rule = learn(learning, method, SIZE_MAX);
    for (size_t run = 0; runs > 1 && run < runs; run++) {
        struct tv_learned_rule of_others = learn(learning, method, run);
        if (!is_broken(learning, &of_others, run))
            continue;
        rule.cried++;
        learning->cried[run] = 1;
    }
    TV_TRY(tv_alloc_grow(out->alloc, &out->of, &out->cap, out->count + 1, sizeof(*out->of), err));
    out->of[out->count++] = rule;
    out->crying += rule.cried > 0;
    return TV_OK;
}

static uint64_t median_time(const struct learning *learning, size_t method)
{
    size_t runs = learning->join->run_count;
    for (size_t run = 0; run < runs; run++)
        learning->values[run] = (double)time_of(learning, method, run);
    return (uint64_t)tv_median(learning->values, learning->values + runs, runs);
}

/* The longest first; the sort leaves methods of one time in the order of their names. */
static int compare_medians(const void *ctx, uint32_t a, uint32_t b)
{
    const uint64_t *medians = ctx;
    return (medians[b] > medians[a]) - (medians[b] < medians[a]);
}

/* Whether a character may stand in a rule as it is: it is seen, is no blank, and is no end of a
 * line. */
static bool is_plain(uint32_t character)
{
    return character > ' ' && character != TV_UTF8_REPLACEMENT && !tv_utf8_needs_escape(character);
}

/* Whether a character stands in the name of no method but by accident, so that a rule with it is
 * refused (compare/rule/rule.c). */
static bool is_refused(uint32_t character)
{
    return character == ',' || character == '(' || character == '"' || character == '\'' ||
           character == '`';
}

/* A name may hold words of a rule, which have a blank on each side, and bytes that would end a line
 * or act on a terminal. The blank before a signature is no word's, if that is one of Java. */
enum tv_code tv_learned_pattern(const struct tv_joined_method *method, bool is_whole,
                                struct tv_buffer *out, struct tv_error *err)
{
    TV_TRY(tv_joined_text(method, out, err));
    struct tv_str text = tv_buffer_view(out);
    bool has_signature = method->signature.len && method->signature.len < text.len;
    size_t plain_len = text.len - (has_signature ? method->signature.len + 1 : 0);
    bool is_java = tv_str_starts_with(method->signature, TV_STR("(")) &&
                   tv_str_find(method->signature, TV_STR(")"), TV_CASE_EXACT) != SIZE_MAX;
    for (size_t at = 0, next = 0; at < text.len; at = next) {
        const uint32_t character = tv_utf8_next(text, &next);
        if (is_plain(character) && (!is_refused(character) || (is_java && at == plain_len + 1)))
            continue;
        if (at == plain_len && is_java)
            continue;
        memset(out->bytes + at, '?', next - at);
    }
    if (!is_whole)
        out->len = plain_len;
    return TV_OK;
}

/* Finds out whether a pattern of the method names it alone: without the signature, or with it. */
static enum tv_code find_name(struct learning *learning, uint32_t method, bool *is_whole,
                              bool *is_named, struct tv_error *err)
{
    *is_named = false;
    for (unsigned i = 0; i < 2 && !*is_named; i++) {
        *is_whole = i == 1;
        TV_TRY(tv_learned_pattern(&learning->join->methods[method], *is_whole, &learning->pattern,
                                  err));
        if (learning->pattern.len > TV_LEARNED_PATTERN_MOST)
            return TV_OK;
        TV_TRY(tv_name_index_find(&learning->names, tv_buffer_view(&learning->pattern),
                                  &learning->found, err));
        *is_named = learning->found.count == 1 && !learning->found.named_count;
    }
    return TV_OK;
}

/* Whether a limit of its time can be kept: of wall time none can where a call was open at the end,
 * and of no time where one began before the recording did. */
static bool has_time(const struct learning *learning, uint32_t method)
{
    for (size_t run = 0; run < learning->join->run_count; run++) {
        const struct tv_numbers *of = &tv_join_row(learning->join, method, run)->numbers;
        if (of->adopting_calls || (of->open_calls && learning->opts->clock == TV_CLOCK_WALL))
            return false;
    }
    return learning->medians[method] && learning->medians[method] >= learning->opts->least_ns;
}

static enum tv_code learn_method(struct learning *learning, uint32_t method, struct tv_error *err)
{
    struct tv_learned *out = learning->out;
    size_t first = out->count;
    bool is_whole;
    bool is_named;
    TV_TRY(find_name(learning, method, &is_whole, &is_named, err));
    if (!is_named) {
        out->unnamed++;
        return TV_OK;
    }
    TV_TRY(add_rule(learning, method, false, err));
    if (has_time(learning, method))
        TV_TRY(add_rule(learning, method, true, err));
    for (size_t i = first; i < out->count; i++)
        out->of[i].is_whole = is_whole;
    return TV_OK;
}

static enum tv_code learn_all(struct learning *learning, uint32_t *order, struct tv_error *err)
{
    const struct tv_join *join = learning->join;
    for (size_t i = 0; i < join->count; i++) {
        learning->medians[i] = median_time(learning, i);
        order[i] = (uint32_t)i;
    }
    TV_TRY(
        tv_sort(learning->out->alloc, order, join->count, compare_medians, learning->medians, err));
    TV_TRY(tv_name_index_make(&learning->names, join, err));
    for (size_t i = 0; i < join->count && i < learning->opts->method_count; i++)
        TV_TRY(learn_method(learning, order[i], err));
    for (size_t run = 0; run < join->run_count; run++)
        learning->out->runs_crying += learning->cried[run];
    return TV_OK;
}

/* Takes the memory that all methods share, and leaves nothing of what was learned after a
 * failure. */
enum tv_code tv_learn(struct tv_learned *learned, const struct tv_join *join,
                      const struct tv_learn_opts *opts, struct tv_error *err)
{
    const struct tv_alloc *alloc = learned->alloc;
    struct learning learning = {
        .out = learned, .join = join, .opts = opts, .found = {.alloc = alloc}};
    uint32_t *order = NULL;
    tv_learned_release(learned);
    tv_name_index_init(&learning.names, alloc);
    tv_buffer_init(&learning.pattern, alloc);
    TV_TRY(tv_alloc_new(alloc, &learning.medians, join->count, sizeof(*learning.medians), err));
    enum tv_code code =
        tv_alloc_new(alloc, &learning.values, 2 * join->run_count, sizeof(double), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &learning.cried, join->run_count, sizeof(uint8_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &order, join->count, sizeof(*order), err);
    if (code == TV_OK)
        code = learn_all(&learning, order, err);
    tv_buffer_release(&learning.pattern);
    tv_found_methods_release(&learning.found);
    tv_name_index_release(&learning.names);
    tv_alloc_release(alloc, &order, join->count, sizeof(*order));
    tv_alloc_release(alloc, &learning.cried, join->run_count, sizeof(uint8_t));
    tv_alloc_release(alloc, &learning.values, 2 * join->run_count, sizeof(double));
    tv_alloc_release(alloc, &learning.medians, join->count, sizeof(*learning.medians));
    if (code != TV_OK)
        tv_learned_release(learned);
    return code;
}
