/*
 * Cuts numbers off names; see base/names/stable_name.h.
 *
 * Generated names are known by a mark in them, which the table lists with what follows the mark:
 * digits to the end, or anything. What stands up to the mark is the stem, which is the same in
 * every run. A name without a mark is its own stem.
 *
 * A mark that is missing here makes methods look new in every run; one too many joins different
 * methods into one. Both are told to the user: the first as "new" and "gone", the second as merged
 * names.
 */
#include "base/names/stable_name.h"

#include <stddef.h>

#include "base/compiler.h"
#include "base/names/java_names.h"

/* How the name of a generated class goes on behind its mark. */
enum rest {
    REST_NUMBER, /* digits up to the end, with "$" before them or none */
    REST_ANY,    /* a hash or a number, whatever it is made of */
};

struct mark {
    struct tv_str text;
    enum rest rest;
};

/* Lambdas of Java and of D8, proxies, accessors of reflection, classes that Spring, Byte Buddy,
 * cglib and Mockito generate. */
static const struct mark marks[] = {
    {{"$$Lambda", 8}, REST_NUMBER},
    {{"$$ExternalSyntheticLambda", 25}, REST_NUMBER},
    {{"$$ExternalSyntheticOutline", 26}, REST_NUMBER},
    {{"$Proxy", 6}, REST_NUMBER},
    {{"GeneratedMethodAccessor", 23}, REST_NUMBER},
    {{"GeneratedConstructorAccessor", 28}, REST_NUMBER},
    {{"GeneratedSerializationConstructorAccessor", 41}, REST_NUMBER},
    {{"$$EnhancerBySpringCGLIB$$", 25}, REST_ANY},
    {{"$$FastClassBySpringCGLIB$$", 26}, REST_ANY},
    {{"$$EnhancerByCGLIB$$", 19}, REST_ANY},
    {{"$$FastClassByCGLIB$$", 20}, REST_ANY},
    {{"$$SpringCGLIB$$", 15}, REST_ANY},
    {{"$ByteBuddy$", 11}, REST_ANY},
    {{"$MockitoMock$", 13}, REST_ANY},
};

static struct tv_str without_digits(struct tv_str text)
{
    while (text.len && text.at[text.len - 1] >= '0' && text.at[text.len - 1] <= '9')
        text.len--;
    return text;
}

/* The length of the stem where the text ends as a generated name does; 0: it does not. */
static size_t stem_len(struct tv_str text, const struct mark *mark)
{
    if (mark->rest == REST_ANY) {
        size_t at = tv_str_find(text, mark->text, TV_CASE_EXACT);
        return at == SIZE_MAX ? 0 : at + mark->text.len;
    }
    struct tv_str stem = without_digits(text);
    if (tv_str_ends_with(stem, mark->text))
        return stem.len;
    if (stem.len && stem.at[stem.len - 1] == '$' && stem.len < text.len)
        stem.len--;
    return tv_str_ends_with(stem, mark->text) ? stem.len : 0;
}

/* The first mark of the table that fits decides.
 */
struct tv_stable_name tv_stable_class(struct tv_str class_name)
{
    struct tv_str named = {class_name.at, tv_java_class_named_len(class_name)};
    for (size_t i = 0; i < TV_COUNT_OF(marks); i++) {
        size_t len = stem_len(named, &marks[i]);
        if (len)
            return (struct tv_stable_name){{named.at, len}, len < class_name.len};
    }
    return (struct tv_stable_name){named, named.len < class_name.len};
}

/* Only what compilers write counts as generated: a method that somebody has called lambda7 keeps
 * its number. */
struct tv_stable_name tv_stable_method(struct tv_str name)
{
    struct tv_str stem = without_digits(name);
    bool has_number = stem.len < name.len && stem.len > 1 &&
                      (stem.at[stem.len - 1] == '$' || stem.at[stem.len - 1] == '-');
    bool is_lambda = tv_str_starts_with(name, TV_STR("lambda$")) ||
                     tv_str_ends_with(stem, TV_STR("$lambda$")) ||
                     tv_str_ends_with(stem, TV_STR("$lambda-"));
    return has_number && is_lambda ? (struct tv_stable_name){stem, true}
                                   : (struct tv_stable_name){name, false};
}

/* --- patterns --- */

/* The text without what stands for digits at its end. */
static struct tv_str without_digit_patterns(struct tv_str text)
{
    while (text.len && ((text.at[text.len - 1] >= '0' && text.at[text.len - 1] <= '9') ||
                        text.at[text.len - 1] == '*' || text.at[text.len - 1] == '?'))
        text.len--;
    return text;
}

/* What stands behind the last star of a pattern; all of it where there is none. */
static struct tv_str behind_stars(struct tv_str pattern)
{
    size_t at = pattern.len;
    while (at && pattern.at[at - 1] != '*')
        at--;
    return (struct tv_str){pattern.at + at, pattern.len - at};
}

/* Whether a pattern may be of names that end with the mark: a star may stand for its beginning. */
static bool may_end_with(struct tv_str pattern, struct tv_str mark)
{
    const struct tv_str end = behind_stars(pattern);
    return tv_str_ends_with(pattern, mark) ||
           (end.len && end.len < pattern.len && tv_str_ends_with(mark, end));
}

/* A pattern without the address of a hidden class, of which it may tell a part. */
static struct tv_str without_address(struct tv_str pattern)
{
    static const struct tv_str beginnings[] = {{".0x", 3}, {"/0x", 3}};
    for (size_t i = 0; i < TV_COUNT_OF(beginnings); i++) {
        const size_t at = tv_str_find(pattern, beginnings[i], TV_CASE_EXACT);
        if (at != SIZE_MAX && at)
            pattern.len = at;
    }
    return pattern;
}

/* As stem_len, of a pattern without the address of a hidden class. */
static size_t pattern_stem_len(struct tv_str pattern, const struct mark *mark, bool has_address)
{
    if (mark->rest == REST_ANY)
        return stem_len(pattern, mark);
    struct tv_str stem = without_digit_patterns(pattern);
    bool has_number = has_address || stem.len < pattern.len;
    if (has_number && may_end_with(stem, mark->text))
        return stem.len;
    if (has_number && stem.len && stem.at[stem.len - 1] == '$')
        stem.len--;
    return has_number && may_end_with(stem, mark->text) ? stem.len : 0;
}

struct tv_stable_name tv_stable_class_pattern(struct tv_str pattern)
{
    const struct tv_str named = without_address(pattern);
    const bool has_address = named.len < pattern.len;
    for (size_t i = 0; i < TV_COUNT_OF(marks); i++) {
        const size_t len = pattern_stem_len(named, &marks[i], has_address);
        if (len)
            return (struct tv_stable_name){{named.at, len}, true};
    }
    return (struct tv_stable_name){named, has_address};
}

struct tv_stable_name tv_stable_method_pattern(struct tv_str pattern)
{
    const struct tv_str stem = without_digit_patterns(pattern);
    const bool is_lambda = tv_str_find(pattern, TV_STR("lambda$"), TV_CASE_EXACT) != SIZE_MAX ||
                           tv_str_ends_with(stem, TV_STR("$lambda-"));
    const bool has_number = stem.len < pattern.len && stem.len > 1 &&
                            (stem.at[stem.len - 1] == '$' || stem.at[stem.len - 1] == '-');
    return has_number && is_lambda ? (struct tv_stable_name){stem, true}
                                   : (struct tv_stable_name){pattern, false};
}
