/*
 * Regular expressions by PCRE2; see analysis/selection/regex.h.
 *
 * PCRE2 allocates through our allocator only, so that a test can make each allocation fail. Limits
 * on steps, depth and memory keep any expression from running on.
 */
#include "analysis/selection/regex.h"

#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/error.h"

/* Limits on the work for one name: generous for any real name, and far below a wait that
 * anyone notices. */
#define MATCH_STEP_LIMIT 200000u
#define MATCH_HEAP_KIB 16384u
#define PATTERN_LEN_LIMIT 4096u

/* All that PCRE2 needs for one expression. */
struct tv_regex {
    const struct tv_alloc *alloc;
    pcre2_general_context *general;
    pcre2_compile_context *compile;
    pcre2_match_context *match;
    pcre2_match_data *data;
    pcre2_code *code;
};

/* Our allocator wants the length of a block when it is freed, and PCRE2 does not give it. So the
 * length stands in front of each block, in as many bytes as keep the alignment for any type. */
#define BLOCK_HEAD_LEN 16u

static void *allocate(PCRE2_SIZE len, void *ctx)
{
    const struct tv_alloc *alloc = ctx;
    if (len > SIZE_MAX - BLOCK_HEAD_LEN)
        return NULL;
    size_t whole = len + BLOCK_HEAD_LEN;
    char *block = alloc->resize(alloc->ctx, NULL, 0, whole);
    if (!block)
        return NULL;
    memcpy(block, &whole, sizeof(whole));
    return block + BLOCK_HEAD_LEN;
}

static void release(void *at, void *ctx)
{
    const struct tv_alloc *alloc = ctx;
    if (!at)
        return;
    char *block = (char *)at - BLOCK_HEAD_LEN;
    size_t whole;
    memcpy(&whole, block, sizeof(whole));
    tv_alloc_release(alloc, &block, whole, 1);
}

static enum tv_code make_contexts(struct tv_regex *regex, struct tv_error *err)
{
    void *ctx;
    memcpy(&ctx, &regex->alloc,
           sizeof(ctx)); /* PCRE2 takes a pointer without const, and only passes it on */
    regex->general = pcre2_general_context_create(allocate, release, ctx);
    if (!regex->general)
        return tv_fail_memory(err, sizeof(*regex));
    regex->compile = pcre2_compile_context_create(regex->general);
    regex->match = pcre2_match_context_create(regex->general);
    if (!regex->compile || !regex->match)
        return tv_fail_memory(err, sizeof(*regex));
    (void)pcre2_set_max_pattern_length(regex->compile, PATTERN_LEN_LIMIT);
    (void)pcre2_set_match_limit(regex->match, MATCH_STEP_LIMIT);
    (void)pcre2_set_depth_limit(regex->match, MATCH_STEP_LIMIT);
    (void)pcre2_set_heap_limit(regex->match, MATCH_HEAP_KIB);
    return TV_OK;
}

/* Forbids \C, which matches one byte of a character: its matches could end inside of one. */
static enum tv_code compile(struct tv_regex *regex, struct tv_str expression,
                            enum tv_case letter_case, struct tv_error *err)
{
    TV_TRY(make_contexts(regex, err));
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    if (letter_case == TV_CASE_FOLD)
        options |= PCRE2_CASELESS;
    int number;
    PCRE2_SIZE at;
    regex->code = pcre2_compile((PCRE2_SPTR)expression.at, expression.len, options, &number, &at,
                                regex->compile);
    if (!regex->code && number == PCRE2_ERROR_HEAP_FAILED)
        return tv_fail_memory(err, expression.len);
    if (!regex->code) {
        PCRE2_UCHAR text[128];
        if (pcre2_get_error_message(number, text, sizeof(text)) < 0)
            text[0] = 0;
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the regular expression is wrong at character %zu: %s", (size_t)at + 1,
                       (const char *)text);
    }
    regex->data = pcre2_match_data_create_from_pattern(regex->code, regex->general);
    return regex->data ? TV_OK : tv_fail_memory(err, sizeof(*regex));
}

enum tv_code tv_regex_new(struct tv_regex **regex, const struct tv_alloc *alloc,
                          struct tv_str expression, enum tv_case letter_case, struct tv_error *err)
{
    *regex = NULL;
    TV_TRY(tv_alloc_new(alloc, regex, 1, sizeof(**regex), err));
    (*regex)->alloc = alloc;
    enum tv_code code = compile(*regex, expression, letter_case, err);
    if (code != TV_OK) {
        tv_regex_free(*regex);
        *regex = NULL;
    }
    return code;
}

void tv_regex_free(struct tv_regex *regex)
{
    if (!regex)
        return;
    pcre2_match_data_free(regex->data);
    pcre2_code_free(regex->code);
    pcre2_match_context_free(regex->match);
    pcre2_compile_context_free(regex->compile);
    pcre2_general_context_free(regex->general);
    tv_alloc_release(regex->alloc, &regex, 1, sizeof(*regex));
}

enum tv_code tv_regex_matches(const struct tv_regex *regex, struct tv_str text, bool *is_match,
                              struct tv_error *err)
{
    int found = pcre2_match(regex->code, (PCRE2_SPTR)(text.len ? text.at : ""), text.len, 0, 0,
                            regex->data, regex->match);
    *is_match = found >= 0;
    /* All other errors say that nothing matches. */
    if (found == PCRE2_ERROR_NOMEMORY)
        return tv_fail_memory(err, MATCH_HEAP_KIB * (uint64_t)1024);
    if (found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_DEPTHLIMIT ||
        found == PCRE2_ERROR_HEAPLIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "the regular expression needs too many steps on a name of %zu bytes: "
                       "make it simpler",
                       text.len);
    return TV_OK;
}
