/*
 * Patterns for names; see analysis/selection/name_pattern.h.
 *
 * A text between slashes is an expression, any other a substring. A substring is
 * spelled as answers show names, and as Java writes them, when it is compiled and not for each
 * method. Names are written into a buffer of the caller, which is used again for every method.
 */
#include "analysis/selection/name_pattern.h"

#include <string.h>

#include "analysis/selection/java_text.h"
#include "analysis/selection/names.h"
#include "analysis/selection/regex.h"
#include "analysis/selection/shortened.h"
#include "analysis/selection/spelling.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/names/ambiguous_name.h"

/* An expression may take a millisecond for a name. */
#define NAMES_BETWEEN_ROOMS 64u

void tv_name_pattern_init(struct tv_name_pattern *pattern, const struct tv_alloc *alloc)
{
    *pattern = (struct tv_name_pattern){.alloc = alloc};
    tv_buffer_init(&pattern->spelled, alloc);
    tv_buffer_init(&pattern->java, alloc);
}

void tv_name_pattern_release(struct tv_name_pattern *pattern)
{
    tv_buffer_release(&pattern->spelled);
    tv_buffer_release(&pattern->java);
    tv_regex_free(pattern->regex);
    tv_name_pattern_init(pattern, pattern->alloc);
}

/* Whether the text of a pattern is an expression: "/x/" or "/x/i" with an x. All else is a
 * substring, "/" and "//" too. */
static bool is_expression(struct tv_str pattern, struct tv_str *expression,
                          enum tv_case *letter_case)
{
    size_t len = pattern.len;
    bool ignores_case = len > 1 && pattern.at[len - 1] == 'i' && pattern.at[len - 2] == '/';
    *letter_case = ignores_case ? TV_CASE_FOLD : TV_CASE_EXACT;
    if (ignores_case)
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
    enum tv_case letter_case;
    tv_name_pattern_release(pattern);
    if (is_expression(text, &expression, &letter_case))
        return tv_regex_new(&pattern->regex, pattern->alloc, expression, letter_case, err);
    pattern->is_word = text.len > 1 && text.at[0] == '=';
    if (pattern->is_word)
        text = (struct tv_str){text.at + 1, text.len - 1};
    pattern->needle = text;
    pattern->letter_case = tv_str_has_upper(text) ? TV_CASE_EXACT : TV_CASE_FOLD;
    enum tv_code code = tv_spelling_of(text, &pattern->spelled, err);
    if (code == TV_OK)
        code = spell_java(tv_buffer_view(&pattern->spelled), &pattern->java, err);
    if (code != TV_OK)
        tv_name_pattern_release(pattern);
    return code;
}

/* Whether a byte is one of a word. A "$" is none: it stands between the classes of a name. */
static bool is_of_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* Whether what stands at `pos` goes on neither before nor behind it with a letter or digit. */
static bool is_whole_word(struct tv_str text, size_t pos, size_t len)
{
    size_t end = pos + len;
    bool goes_on_before = pos && is_of_word(text.at[pos - 1]) && is_of_word(text.at[pos]);
    bool goes_on_behind =
        end < text.len && is_of_word(text.at[end]) && is_of_word(text.at[end - 1]);
    return !goes_on_before && !goes_on_behind;
}

/* Whether the text has the needle, and as a whole word if the pattern asks for that. */
static bool has_needle(const struct tv_name_pattern *pattern, struct tv_str text,
                       struct tv_str needle, enum tv_case letter_case)
{
    size_t pos = tv_str_find(text, needle, letter_case);
    if (!pattern->is_word || !needle.len)
        return pos != SIZE_MAX;
    while (pos != SIZE_MAX && !is_whole_word(text, pos, needle.len)) {
        struct tv_str rest = {text.at + pos + 1, text.len - pos - 1};
        size_t next = tv_str_find(rest, needle, letter_case);
        pos = next == SIZE_MAX ? SIZE_MAX : pos + 1 + next;
    }
    return pos != SIZE_MAX;
}

/* Looks for the substring as it was given, and where it is written in another way, as names are. */
static bool has_substring(const struct tv_name_pattern *pattern, struct tv_str text,
                          enum tv_case letter_case)
{
    struct tv_str spelled = tv_buffer_view(&pattern->spelled);
    return has_needle(pattern, text, pattern->needle, letter_case) ||
           (!tv_str_equal(spelled, pattern->needle) &&
            has_needle(pattern, text, spelled, letter_case));
}

enum tv_code tv_name_pattern_matches(const struct tv_name_pattern *pattern, struct tv_str text,
                                     bool *is_match, struct tv_error *err)
{
    if (!pattern->regex) {
        *is_match = has_substring(pattern, text, pattern->letter_case);
        return TV_OK;
    }
    return tv_regex_matches(pattern->regex, text, is_match, err);
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
        has_needle(pattern, tv_buffer_view(text), tv_buffer_view(&pattern->java), letter_case);
    return TV_OK;
}

/* Looks in the name as tables show it: cut, or without the address of a hidden class. */
static enum tv_code is_as_shown(const struct tv_name_pattern *pattern, const struct tv_index *index,
                                uint32_t method_ix, struct tv_buffer *text, bool *is_match,
                                struct tv_error *err)
{
    enum tv_shortened fit = TV_SHORTENED_NO;
    if (!pattern->is_word)
        TV_TRY(tv_shortened_fits_method(pattern->needle, index, method_ix, text, &fit, err));
    *is_match = fit != TV_SHORTENED_NO;
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

/* The ways are tried from the cheapest on: the whole name, the name as the file wrote it, then
 * Java's spelling and shortened names. */
enum tv_code tv_name_pattern_matches_method(const struct tv_name_pattern *pattern,
                                            const struct tv_index *index, uint32_t method_ix,
                                            struct tv_buffer *text, bool *is_match,
                                            struct tv_error *err)
{
    const struct tv_str written = tv_method_written(index, method_ix);
    TV_TRY(tv_method_text(index, method_ix, text, err));
    TV_TRY(tv_name_pattern_matches(pattern, tv_buffer_view(text), is_match, err));
    if (!*is_match && written.len)
        TV_TRY(tv_name_pattern_matches(pattern, written, is_match, err));
    if (*is_match)
        return TV_OK;
    if (pattern->regex)
        return matches_shorter(pattern, index, method_ix, text, is_match, err);
    TV_TRY(is_in_java_text(pattern, index, method_ix, pattern->letter_case, text, is_match, err));
    return *is_match ? TV_OK : is_as_shown(pattern, index, method_ix, text, is_match, err);
}

void tv_name_pattern_give_way(uint32_t number, struct tv_buffer *text)
{
    if (number % NAMES_BETWEEN_ROOMS == 0)
        tv_buffer_release(text);
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

/* Counts what would match without regard to case, for a hint after a search that found nothing; one
 * exact match makes the hint needless. */
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
        tv_name_pattern_give_way(rank, &name);
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
    const size_t star_len = package.len && package.at[package.len - 1] == '*' ? 1 : 0;
    for (size_t i = 0; i < package.len - star_len; i++) {
        char wanted = package.at[i] == '/' ? '.' : package.at[i];
        if (i == class_name.len ||
            (class_name.at[i] != wanted && class_name.at[i] != package.at[i]))
            return false;
    }
    return package.len > 0;
}

/* A package is a prefix of class names: it ends in a point or slash, or has all that begins so. A
 * star at its end, which other patterns need for that, says the same. */
static bool is_in_packages(struct tv_str class_name, struct tv_str packages)
{
    struct tv_str package;
    while (tv_str_split(&packages, ',', &package)) {
        if (is_in_package(class_name, package))
            return true;
    }
    return false;
}

/* Whether a method's class is in the packages, or that of a method which a mapping says it may be.
 */
static bool is_method_in_packages(const struct tv_index *index, uint32_t method_ix,
                                  struct tv_str packages)
{
    const struct tv_str class_name = tv_method_class(index, method_ix);
    struct tv_str rest = tv_method_alternatives(index, method_ix);
    struct tv_alternative alternative;
    if (is_in_packages(class_name, packages))
        return true;
    while (tv_alternative_next(class_name, &rest, &alternative)) {
        if (is_in_packages(alternative.class_name, packages))
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
        (*marks)[i] = is_method_in_packages(index, i, packages);
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
        tv_name_pattern_give_way(i, &text);
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
