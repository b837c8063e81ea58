/*
 * Finds the method that a user means; see analysis/selection/method_by_name.h.
 *
 * A number is a rank, and "0x" with digits an id that some method has. All else is a name, which is
 * looked for among all methods: it is typed once, and an index of names would be needed for this
 * only. One pass by rank finds the methods of every step.
 */
#include "analysis/selection/method_by_name.h"

#include <string.h>

#include "analysis/selection/name_pattern.h"
#include "analysis/selection/names.h"
#include "analysis/selection/shortened.h"
#include "analysis/selection/spelling.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/names/signature_spelling.h"

/* The steps in which names are compared. */
enum step {
    WHOLE,
    CLASS_AND_NAME,
    END_OF_BOTH,
    NAME_ALONE,
    SHORTENED_AT_A_PART,
    SHORTENED,
    PATTERN,
    STEP_COUNT
};

/* A search for the methods of a text. */
struct finding {
    const struct tv_index *index;
    struct tv_name_pattern pattern;
    struct tv_str asked;      /* the text as it was given */
    struct tv_buffer spelled; /* the text as tv_method_text would write it */
    struct tv_str name;       /* the part of it before the signature */
    struct tv_str signature;  /* from the "(" on; empty: any */
    struct tv_buffer text;    /* the whole name of the method that is compared */
    struct tv_method_choice of[STEP_COUNT];
};

enum tv_code tv_method_by_rank(const struct tv_index *index, uint64_t rank, uint32_t *method_ix,
                               struct tv_error *err)
{
    if (rank >= index->method_count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no method has the rank %llu",
                       (unsigned long long)rank);
    *method_ix = index->method_of_rank[rank];
    return TV_OK;
}

/* The step in which the method's name without signature is what was asked for. A class and a name
 * are joined by one point, so they need not be joined to be compared. */
static enum step compare_name(struct tv_str class_name, struct tv_str name, struct tv_str whole,
                              struct tv_str asked)
{
    size_t len = class_name.len + (class_name.len && name.len) + name.len;
    struct tv_str both = {whole.at, len < whole.len ? len : whole.len};
    if (tv_str_equal(both, asked))
        return CLASS_AND_NAME;
    if (name.len && tv_str_equal(name, asked))
        return NAME_ALONE;
    if (!asked.len || !tv_str_ends_with(both, asked) || asked.len <= name.len)
        return STEP_COUNT;
    return memchr(".$", both.at[both.len - asked.len - 1], 2) ? END_OF_BOTH : STEP_COUNT;
}

/* The step in which a form of the method's whole name is what was shortened. */
static enum tv_code step_shortened(struct finding *finding, uint32_t method_ix, enum step *step,
                                   struct tv_error *err)
{
    static const enum step steps[] = {
        [TV_SHORTENED_NO] = STEP_COUNT,
        [TV_SHORTENED_IN_A_PART] = SHORTENED,
        [TV_SHORTENED_AT_A_PART] = SHORTENED_AT_A_PART,
    };
    enum tv_shortened fit;
    TV_TRY(tv_shortened_fits_method(finding->asked, finding->index, method_ix, &finding->text, &fit,
                                    err));
    *step = steps[fit];
    return TV_OK;
}

/* The first step that finds the method, or STEP_COUNT. */
static enum tv_code step_of(struct finding *finding, uint32_t method_ix, enum step *step,
                            struct tv_error *err)
{
    const struct tv_index *index = finding->index;
    struct tv_str signature = tv_method_signature(index, method_ix);
    bool is_match;
    TV_TRY(tv_method_text(index, method_ix, &finding->text, err));
    struct tv_str whole = tv_buffer_view(&finding->text);
    *step = WHOLE;
    if (tv_str_equal(whole, finding->asked) ||
        tv_str_equal(whole, tv_buffer_view(&finding->spelled)))
        return TV_OK;
    *step = STEP_COUNT;
    if (!finding->signature.len || tv_signature_is_spelled(signature, finding->signature))
        *step = compare_name(tv_method_class(index, method_ix), tv_method_name(index, method_ix),
                             whole, finding->name);
    if (*step == STEP_COUNT)
        TV_TRY(step_shortened(finding, method_ix, step, err));
    if (*step != STEP_COUNT)
        return TV_OK;
    TV_TRY(tv_name_pattern_matches_method(&finding->pattern, index, method_ix, &finding->text,
                                          &is_match, err));
    *step = is_match ? PATTERN : STEP_COUNT;
    return TV_OK;
}

/* Compares the methods with ranks from `rank` to before `end`, in steps before `limit`. */
static enum tv_code compare_ranks(struct finding *finding, uint32_t rank, uint32_t end,
                                  enum step limit, struct tv_error *err)
{
    for (; rank < end && !finding->of[WHOLE].count; rank++) {
        uint32_t method_ix = finding->index->method_of_rank[rank];
        enum step step;
        tv_name_pattern_give_way(rank, &finding->text);
        TV_TRY(step_of(finding, method_ix, &step, err));
        if (step >= limit)
            continue;
        struct tv_method_choice *of = &finding->of[step];
        if (of->count < TV_METHOD_CHOICE_LIMIT)
            of->of[of->count] = method_ix;
        of->count++;
    }
    return TV_OK;
}

static bool has_choice(const struct finding *finding)
{
    bool has = false;
    for (unsigned step = 0; step < STEP_COUNT; step++)
        has = has || finding->of[step].count;
    return has;
}

/* Prepares the text and compares all methods. */
static enum tv_code find(struct finding *finding, struct tv_str text, struct tv_error *err)
{
    const struct tv_index *index = finding->index;
    uint32_t ranked_count = index->info->ranked_count;
    TV_TRY(tv_name_pattern_compile(&finding->pattern, text, err));
    TV_TRY(tv_spelling_of(text, &finding->spelled, err));
    finding->asked = text;
    finding->name = tv_buffer_view(&finding->spelled);
    size_t at = tv_str_find(finding->name, TV_STR(" ("), TV_CASE_EXACT);
    if (at != SIZE_MAX) {
        finding->signature = (struct tv_str){finding->name.at + at + 1, finding->name.len - at - 1};
        finding->name.len = at;
    }
    TV_TRY(compare_ranks(finding, 0, ranked_count, STEP_COUNT, err));
    if (!has_choice(finding))
        TV_TRY(compare_ranks(finding, ranked_count, index->method_count, END_OF_BOTH, err));
    return TV_OK;
}

/* Fails where a mapping says that a method with the text in its name runs inside one with calls. */
static enum tv_code fail_inlined(const struct tv_index *index, struct tv_str text,
                                 struct tv_error *err)
{
    for (uint32_t rank = 0; rank < index->info->ranked_count; rank++) {
        const uint32_t method_ix = index->method_of_rank[rank];
        const struct tv_str class_name = tv_method_class(index, method_ix);
        const struct tv_str name = tv_method_name(index, method_ix);
        struct tv_str rest = tv_method_inlined(index, method_ix);
        if (tv_str_find(rest, text, TV_CASE_EXACT) != SIZE_MAX)
            return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                           "no method with calls has '%.*s' in its name: the mapping says that it "
                           "was inlined into %.*s.%.*s, which has %llu calls",
                           tv_str_shown_len(text), text.at, tv_str_shown_len(class_name),
                           class_name.at, tv_str_shown_len(name), name.at,
                           (unsigned long long)(index->methods[method_ix].calls +
                                                index->methods[method_ix].recursive_calls));
    }
    return TV_OK;
}

/* Fails with what would help: whether it was inlined, or the case of letters is what kept methods
 * from being found. */
static enum tv_code fail_unknown(const struct tv_index *index, struct tv_str text,
                                 const struct tv_alloc *alloc, struct tv_error *err)
{
    uint32_t folded;
    TV_TRY(fail_inlined(index, text, err));
    TV_TRY(tv_name_pattern_count_folded(index, text, alloc, &folded, err));
    if (folded)
        return tv_fail(
            err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
            "no method with calls has '%.*s' in its name, but %u would without regard to "
            "case: a capital letter makes case count",
            tv_str_shown_len(text), text.at, folded);
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "no method with calls has '%.*s' in its name", tv_str_shown_len(text), text.at);
}

static bool has_whole_name_of(const struct tv_index *index, uint32_t a, uint32_t b)
{
    return tv_str_equal(tv_method_class(index, a), tv_method_class(index, b)) &&
           tv_str_equal(tv_method_name(index, a), tv_method_name(index, b)) &&
           tv_str_equal(tv_method_signature(index, a), tv_method_signature(index, b));
}

/* Adds the other methods with calls that have the whole name of the one that was found by it. */
static void add_same_name(const struct tv_index *index, struct tv_method_choice *choice)
{
    if (!index->methods[choice->of[0]].shares_name)
        return;
    for (uint32_t rank = 0; rank < index->info->ranked_count; rank++) {
        const uint32_t method_ix = index->method_of_rank[rank];
        if (method_ix == choice->of[0] || !has_whole_name_of(index, method_ix, choice->of[0]))
            continue;
        if (choice->count < TV_METHOD_CHOICE_LIMIT)
            choice->of[choice->count] = method_ix;
        choice->count++;
    }
}

/* What would tell the methods of a step apart. */
static const char *what_to_add(const struct tv_index *index, unsigned step,
                               const struct tv_method_choice *choice)
{
    bool is_same = true;
    for (uint32_t i = 1; i < choice->count && i < TV_METHOD_CHOICE_LIMIT; i++)
        is_same = is_same && has_whole_name_of(index, choice->of[0], choice->of[i]);
    if (is_same)
        return "give the id of one";
    return step == CLASS_AND_NAME ? "add the signature" : "add the class or the signature";
}

/* Chooses from the first step that found something. */
static enum tv_code choose(const struct finding *finding, struct tv_str text,
                           const struct tv_alloc *alloc, uint32_t *method_ix,
                           struct tv_method_choice *choice, struct tv_error *err)
{
    unsigned step = 0;
    while (step < STEP_COUNT && !finding->of[step].count)
        step++;
    if (step == STEP_COUNT)
        return fail_unknown(finding->index, text, alloc, err);
    *choice = finding->of[step];
    if (step == WHOLE)
        add_same_name(finding->index, choice);
    *method_ix = choice->of[0];
    if ((step == SHORTENED_AT_A_PART || step == SHORTENED) && choice->count > 1)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "'%.*s' is short for %u methods: give a whole name", tv_str_shown_len(text),
                       text.at, choice->count);
    if (step == PATTERN && choice->count > 1)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "'%.*s' is in the names of %u methods: give a whole name",
                       tv_str_shown_len(text), text.at, choice->count);
    if (choice->count > 1)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%u methods are called '%.*s': %s",
                       choice->count, tv_str_shown_len(text), text.at,
                       what_to_add(finding->index, step, choice));
    return TV_OK;
}

static enum tv_code find_by_name(const struct tv_index *index, struct tv_str text,
                                 const struct tv_alloc *alloc, uint32_t *method_ix,
                                 struct tv_method_choice *choice, struct tv_error *err)
{
    struct finding finding = {.index = index};
    tv_name_pattern_init(&finding.pattern, alloc);
    tv_buffer_init(&finding.spelled, alloc);
    tv_buffer_init(&finding.text, alloc);
    enum tv_code code = find(&finding, text, err);
    if (code == TV_OK)
        code = choose(&finding, text, alloc, method_ix, choice, err);
    tv_buffer_release(&finding.text);
    tv_buffer_release(&finding.spelled);
    tv_name_pattern_release(&finding.pattern);
    return code;
}

/* Digits after "0x" that are no id may still be a name, so they are looked for as one. */
enum tv_code tv_method_by_name(const struct tv_index *index, struct tv_str text,
                               const struct tv_alloc *alloc, uint32_t *method_ix,
                               struct tv_method_choice *choice, struct tv_error *err)
{
    struct tv_method_choice unasked;
    uint64_t number;
    choice = choice ? choice : &unasked;
    *choice = (struct tv_method_choice){.count = 0};
    if (tv_str_to_u64(text, 10, &number))
        return tv_method_by_rank(index, number, method_ix, err);
    *method_ix = TV_NONE;
    if (tv_str_starts_with(text, TV_STR("0x")) &&
        tv_str_to_u64((struct tv_str){text.at + 2, text.len - 2}, 16, &number))
        *method_ix = tv_index_method_of_id(index, number);
    return *method_ix == TV_NONE ? find_by_name(index, text, alloc, method_ix, choice, err) : TV_OK;
}
