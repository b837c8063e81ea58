/*
 * Patterns for names; see analysis/selection/name_pattern.h.
 *
 * PCRE2 allocates through our allocator only, so that a test can make each allocation fail. Limits
 * on steps, depth and memory keep any expression from running on.
 */
#include "analysis/selection/name_pattern.h"

#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "analysis/selection/java_text.h"
#include "analysis/selection/names.h"
#include "analysis/selection/spelling.h"
#include "base/alloc.h"
#include "base/error.h"

/* Limits on the work for one name: generous for any real name, and far below a wait that
 * anyone notices. */
#define MATCH_STEP_LIMIT 200000u
#define MATCH_HEAP_KIB 16384u
#define PATTERN_LEN_LIMIT 4096u

/* All that PCRE2 needs for one expression. */
struct tv_regex {
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

void tv_name_pattern_init(struct tv_name_pattern *pattern, const struct tv_alloc *alloc)
{
    *pattern = (struct tv_name_pattern){.alloc = alloc};
    tv_buffer_init(&pattern->spelled, alloc);
    tv_buffer_init(&pattern->java, alloc);
}

void tv_name_pattern_release(struct tv_name_pattern *pattern)
{
    struct tv_regex *regex = pattern->regex;
    tv_buffer_release(&pattern->spelled);
    tv_buffer_release(&pattern->java);
    if (regex) {
        pcre2_match_data_free(regex->data);
        pcre2_code_free(regex->code);
        pcre2_match_context_free(regex->match);
        pcre2_compile_context_free(regex->compile);
        pcre2_general_context_free(regex->general);
        tv_alloc_release(pattern->alloc, &regex, 1, sizeof(*regex));
    }
    tv_name_pattern_init(pattern, pattern->alloc);
}

static enum tv_code make_contexts(struct tv_name_pattern *pattern, struct tv_error *err)
{
    struct tv_regex *regex = pattern->regex;
    void *ctx;
    memcpy(&ctx, &pattern->alloc,
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
static enum tv_code compile_regex(struct tv_name_pattern *pattern, struct tv_str expression,
                                  bool ignores_case, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(pattern->alloc, &pattern->regex, 1, sizeof(*pattern->regex), err));
    TV_TRY(make_contexts(pattern, err));
    struct tv_regex *regex = pattern->regex;
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    if (ignores_case)
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

/* Whether the text of a pattern is an expression: "/x/" or "/x/i" with an x. All else is a
 * substring, "/" and "//" too. */
static bool is_expression(struct tv_str pattern, struct tv_str *expression, bool *ignores_case)
{
    size_t len = pattern.len;
    *ignores_case = len > 1 && pattern.at[len - 1] == 'i' && pattern.at[len - 2] == '/';
    if (*ignores_case)
        len--;
    if (len < 3 || pattern.at[0] != '/' || pattern.at[len - 1] != '/')
        return false;
    *expression = (struct tv_str){pattern.at + 1, len - 2};
    return true;
}

/* Where a type of parameters begins that is written up to `len`. */
static size_t type_start(const char *text, size_t len)
{
    while (len && !memchr("(, ", text[len - 1], 3))
        len--;
    return len;
}

/* Writes what is spelled with a "(" as tv_method_java_text does: no space before the "(", one
 * behind each comma, and types without their packages. */
static enum tv_code spell_java(struct tv_str spelled, struct tv_buffer *out, struct tv_error *err)
{
    size_t params = tv_str_find(spelled, TV_STR("("), TV_CASE_EXACT);
    if (params == SIZE_MAX)
        return TV_OK;
    size_t name_len = params && spelled.at[params - 1] == ' ' ? params - 1 : params;
    TV_TRY(tv_buffer_append(out, spelled.at, name_len, err));
    for (size_t i = params; i < spelled.len; i++) {
        char c = spelled.at[i];
        if (c == '.')
            out->len = type_start(tv_buffer_view(out).at, out->len);
        else if (c == ',')
            TV_TRY(tv_buffer_append(out, ", ", 2, err));
        else if (c != ' ')
            TV_TRY(tv_buffer_append(out, &c, 1, err));
    }
    return TV_OK;
}

enum tv_code tv_name_pattern_compile(struct tv_name_pattern *pattern, struct tv_str text,
                                     struct tv_error *err)
{
    struct tv_str expression;
    bool ignores_case;
    tv_name_pattern_release(pattern);
    if (is_expression(text, &expression, &ignores_case)) {
        enum tv_code code = compile_regex(pattern, expression, ignores_case, err);
        if (code != TV_OK)
            tv_name_pattern_release(pattern);
        return code;
    }
    pattern->needle = text;
    pattern->letter_case = tv_str_has_upper(text) ? TV_CASE_EXACT : TV_CASE_FOLD;
    enum tv_code code = tv_spelling_of(text, &pattern->spelled, err);
    if (code == TV_OK)
        code = spell_java(tv_buffer_view(&pattern->spelled), &pattern->java, err);
    if (code != TV_OK)
        tv_name_pattern_release(pattern);
    return code;
}

/* Looks for the substring as it was given, and where it is written in another way, as names are. */
static bool has_substring(const struct tv_name_pattern *pattern, struct tv_str text,
                          enum tv_case letter_case)
{
    struct tv_str spelled = tv_buffer_view(&pattern->spelled);
    return tv_str_find(text, pattern->needle, letter_case) != SIZE_MAX ||
           (!tv_str_equal(spelled, pattern->needle) &&
            tv_str_find(text, spelled, letter_case) != SIZE_MAX);
}

enum tv_code tv_name_pattern_matches(const struct tv_name_pattern *pattern, struct tv_str text,
                                     bool *is_match, struct tv_error *err)
{
    if (!pattern->regex) {
        *is_match = has_substring(pattern, text, pattern->letter_case);
        return TV_OK;
    }
    int found = pcre2_match(pattern->regex->code, (PCRE2_SPTR)(text.len ? text.at : ""), text.len,
                            0, 0, pattern->regex->data, pattern->regex->match);
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

/* Looks in the name as Java writes it, when the substring can only be there. */
static enum tv_code is_in_java_text(const struct tv_name_pattern *pattern,
                                    const struct tv_index *index, uint32_t method_ix,
                                    enum tv_case letter_case, struct tv_buffer *text,
                                    bool *is_match, struct tv_error *err)
{
    *is_match = false;
    if (!pattern->java.len)
        return TV_OK;
    TV_TRY(tv_method_java_text(index, method_ix, text, err));
    *is_match =
        tv_str_find(tv_buffer_view(text), tv_buffer_view(&pattern->java), letter_case) != SIZE_MAX;
    return TV_OK;
}

/* Compares an expression, which the whole name did not match, with the other texts that people know
 * a method by: without its signature, then with that of Java. `text` has the whole name. */
static enum tv_code matches_shorter(const struct tv_name_pattern *pattern,
                                    const struct tv_index *index, uint32_t method_ix,
                                    struct tv_buffer *text, bool *is_match, struct tv_error *err)
{
    struct tv_str whole = tv_buffer_view(text);
    size_t signature_len = tv_method_signature(index, method_ix).len;
    if (!signature_len || whole.len <= signature_len)
        return TV_OK;
    struct tv_str bare = {whole.at, whole.len - signature_len - 1}; /* and the space before it */
    TV_TRY(tv_name_pattern_matches(pattern, bare, is_match, err));
    if (*is_match)
        return TV_OK;
    TV_TRY(tv_method_java_text(index, method_ix, text, err));
    return tv_name_pattern_matches(pattern, tv_buffer_view(text), is_match, err);
}

enum tv_code tv_name_pattern_matches_method(const struct tv_name_pattern *pattern,
                                            const struct tv_index *index, uint32_t method_ix,
                                            struct tv_buffer *text, bool *is_match,
                                            struct tv_error *err)
{
    TV_TRY(tv_method_text(index, method_ix, text, err));
    TV_TRY(tv_name_pattern_matches(pattern, tv_buffer_view(text), is_match, err));
    if (*is_match)
        return TV_OK;
    if (pattern->regex)
        return matches_shorter(pattern, index, method_ix, text, is_match, err);
    return is_in_java_text(pattern, index, method_ix, pattern->letter_case, text, is_match, err);
}

/* Whether a method is found when case counts, and when it does not. */
static enum tv_code compare_cases(const struct tv_name_pattern *pattern,
                                  const struct tv_index *index, uint32_t method_ix,
                                  struct tv_buffer *name, bool *is_found, bool *is_folded,
                                  struct tv_error *err)
{
    bool is_java;
    TV_TRY(tv_name_pattern_matches_method(pattern, index, method_ix, name, is_found, err));
    TV_TRY(tv_method_text(index, method_ix, name, err));
    *is_folded = has_substring(pattern, tv_buffer_view(name), TV_CASE_FOLD);
    TV_TRY(is_in_java_text(pattern, index, method_ix, TV_CASE_FOLD, name, &is_java, err));
    *is_folded = *is_folded || is_java;
    return TV_OK;
}

enum tv_code tv_name_pattern_count_folded(const struct tv_index *index, struct tv_str text,
                                          const struct tv_alloc *alloc, uint32_t *count,
                                          struct tv_error *err)
{
    struct tv_name_pattern pattern;
    struct tv_buffer name;
    bool is_found = false;
    *count = 0;
    tv_name_pattern_init(&pattern, alloc);
    tv_buffer_init(&name, alloc);
    enum tv_code code = tv_name_pattern_compile(&pattern, text, err);
    uint32_t end =
        pattern.regex || pattern.letter_case == TV_CASE_FOLD ? 0 : index->info->ranked_count;
    for (uint32_t rank = 0; code == TV_OK && !is_found && rank < end; rank++) {
        bool is_folded = false;
        code = compare_cases(&pattern, index, index->method_of_rank[rank], &name, &is_found,
                             &is_folded, err);
        *count += is_folded;
    }
    if (is_found)
        *count = 0;
    tv_buffer_release(&name);
    tv_name_pattern_release(&pattern);
    return code;
}

void tv_method_filter_init(struct tv_method_filter *filter, const struct tv_alloc *alloc)
{
    *filter = (struct tv_method_filter){.alloc = alloc};
}

void tv_method_filter_release(struct tv_method_filter *filter)
{
    tv_alloc_release(filter->alloc, &filter->matches, filter->count, 1);
    tv_alloc_release(filter->alloc, &filter->hidden, filter->count, 1);
    tv_alloc_release(filter->alloc, &filter->dropped, filter->count, 1);
    tv_method_filter_init(filter, filter->alloc);
}

/* Whether a class name begins with the package, in which slashes stand for points. */
static bool is_in_package(struct tv_str class_name, struct tv_str package)
{
    for (size_t i = 0; i < package.len; i++) {
        char wanted = package.at[i] == '/' ? '.' : package.at[i];
        if (i == class_name.len ||
            (class_name.at[i] != wanted && class_name.at[i] != package.at[i]))
            return false;
    }
    return package.len > 0;
}

/* A package is a prefix of class names: it ends in a point or slash, or has all that begins so. */
static bool is_in_packages(struct tv_str class_name, struct tv_str packages)
{
    struct tv_str package;
    while (tv_str_split(&packages, ',', &package)) {
        if (is_in_package(class_name, package))
            return true;
    }
    return false;
}

/* Marks the methods whose classes are in the packages; without packages there are no marks. */
static enum tv_code mark_packages(const struct tv_method_filter *filter,
                                  const struct tv_index *index, struct tv_str packages,
                                  uint8_t **marks, struct tv_error *err)
{
    if (!packages.len)
        return TV_OK;
    TV_TRY(tv_alloc_new(filter->alloc, marks, filter->count, 1, err));
    for (uint32_t i = 0; i < filter->count; i++)
        (*marks)[i] = is_in_packages(tv_method_class(index, i), packages);
    return TV_OK;
}

/* Marks the methods that the pattern matches; all names are joined in one buffer. */
static enum tv_code match_methods(struct tv_method_filter *filter, const struct tv_index *index,
                                  struct tv_str pattern, struct tv_error *err)
{
    struct tv_name_pattern compiled;
    struct tv_buffer text;
    tv_name_pattern_init(&compiled, filter->alloc);
    tv_buffer_init(&text, filter->alloc);
    enum tv_code code = tv_name_pattern_compile(&compiled, pattern, err);
    for (uint32_t i = 0; code == TV_OK && i < filter->count; i++) {
        bool is_match = false;
        code = tv_name_pattern_matches_method(&compiled, index, i, &text, &is_match, err);
        filter->matches[i] |= is_match;
    }
    tv_buffer_release(&text);
    tv_name_pattern_release(&compiled);
    return code;
}

static enum tv_code make(struct tv_method_filter *filter, const struct tv_index *index,
                         const struct tv_method_filter_opts *opts, struct tv_error *err)
{
    if (opts->pattern_count)
        TV_TRY(tv_alloc_new(filter->alloc, &filter->matches, filter->count, 1, err));
    for (size_t i = 0; i < opts->pattern_count; i++)
        TV_TRY(match_methods(filter, index, opts->patterns[i], err));
    TV_TRY(mark_packages(filter, index, opts->hidden, &filter->hidden, err));
    return mark_packages(filter, index, opts->dropped, &filter->dropped, err);
}

enum tv_code tv_method_filter_make(struct tv_method_filter *filter, const struct tv_index *index,
                                   const struct tv_method_filter_opts *opts, struct tv_error *err)
{
    tv_method_filter_release(filter);
    filter->count = index->method_count;
    enum tv_code code = make(filter, index, opts, err);
    if (code != TV_OK)
        tv_method_filter_release(filter);
    return code;
}
