/*
 * The link in a single file; see export/single_file/single_file_link.h.
 *
 * Values are looked at as they stand, escaped: times are digits, and what separates the parts of a
 * value is written plainly or as %2C and %7C. A comma or a bar inside a name is escaped twice, so
 * it is never taken for one that separates.
 */
#include "export/single_file/single_file_link.h"

#include "base/compiler.h"
#include "base/text/percent.h"
#include "base/units.h"

#define PLACES 6u /* of a millisecond: whole nanoseconds */
/* Times of a link are numbers of a script, which are whole up to there. */
#define TIME_MOST (UINT64_C(1) << 53)

struct range {
    uint64_t from_ns, to_ns;
};

/* --- reading --- */

/* The text before the next separator, which is `plain` or `%` and `digits`; false at the end. */
static bool split(struct tv_str *rest, char plain, struct tv_str digits, struct tv_str *part)
{
    if (!rest->at || !rest->len)
        return false;
    for (size_t i = 0; i < rest->len; i++) {
        const struct tv_str ahead = {rest->at + i + 1, digits.len};
        const bool is_escaped =
            rest->at[i] == '%' && rest->len - i > digits.len && tv_str_equal_folded(ahead, digits);
        if (rest->at[i] != plain && !is_escaped)
            continue;
        const size_t next = i + 1 + (is_escaped ? digits.len : 0);
        *part = (struct tv_str){rest->at, i};
        *rest = (struct tv_str){rest->at + next, rest->len - next};
        return true;
    }
    *part = *rest;
    *rest = (struct tv_str){NULL, 0};
    return true;
}

static bool split_bar(struct tv_str *rest, struct tv_str *part)
{
    return split(rest, '|', TV_STR("7C"), part);
}

static bool take_digit(struct tv_str *text, uint64_t *digit)
{
    if (!text->len || text->at[0] < '0' || text->at[0] > '9')
        return false;
    *digit = (uint64_t)(text->at[0] - '0');
    *text = (struct tv_str){text->at + 1, text->len - 1};
    return true;
}

static bool take_char(struct tv_str *text, char c)
{
    if (!text->len || text->at[0] != c)
        return false;
    *text = (struct tv_str){text->at + 1, text->len - 1};
    return true;
}

/* Milliseconds with a fraction, of which more than six places say nothing. */
static bool take_time(struct tv_str *text, uint64_t *time_ns)
{
    uint64_t digit, ns = 0, unit = TV_NS_PER_MS;
    if (!take_digit(text, &digit))
        return false;
    do {
        ns = ns * 10 + digit;
        if (ns > TIME_MOST / TV_NS_PER_MS)
            return false;
    } while (take_digit(text, &digit));
    ns *= TV_NS_PER_MS;
    if (take_char(text, '.')) {
        while (take_digit(text, &digit))
            ns += digit * (unit /= 10);
    }
    *time_ns = ns;
    return true;
}

/* "10.5-20ms" */
static bool read_range(struct tv_str text, struct range *range)
{
    return take_time(&text, &range->from_ns) && take_char(&text, '-') &&
           take_time(&text, &range->to_ns) && tv_str_equal(text, TV_STR("ms")) &&
           range->from_ns < range->to_ns;
}

/* Moves a range with the part; false: it lies outside. */
static bool move(struct range *range, const struct tv_single_file_cut *cut)
{
    if (!cut->has_range)
        return true;
    const uint64_t from = range->from_ns > cut->from_ns ? range->from_ns : cut->from_ns;
    const uint64_t to = range->to_ns < cut->to_ns ? range->to_ns : cut->to_ns;
    if (from >= to)
        return false;
    *range = (struct range){from - cut->from_ns, to - cut->from_ns};
    return true;
}

/* --- writing --- */

/* One parameter on its way into the new link. */
struct writing {
    struct tv_out *out;
    const struct tv_single_file_cut *cut;
    struct tv_str key;
    size_t count; /* of parameters that are written */
    bool has_old, has_tab;
};

static void begin(struct writing *writing, struct tv_str key)
{
    if (writing->count++)
        tv_out_text(writing->out, TV_STR("&"));
    tv_out_text(writing->out, key);
    tv_out_text(writing->out, TV_STR("="));
}

static void put_range(struct tv_out *out, const struct range *range)
{
    tv_out_fraction(out, range->from_ns, PLACES);
    tv_out_text(out, TV_STR("-"));
    tv_out_fraction(out, range->to_ns, PLACES);
    tv_out_text(out, TV_STR("ms"));
}

/* Ranges, with commas between them. */
static void put_ranges(struct writing *writing, struct tv_str value)
{
    struct tv_str part;
    bool has_begun = false;
    while (split(&value, ',', TV_STR("2C"), &part)) {
        struct range range;
        if (!read_range(part, &range) || !move(&range, writing->cut))
            continue;
        if (has_begun)
            tv_out_text(writing->out, TV_STR(","));
        else
            begin(writing, writing->key);
        put_range(writing->out, &range);
        has_begun = true;
    }
}

/* "10-20ms|text|1:main|3|method": the text is a name, and so is the call behind it. */
static void put_mark(struct writing *writing, struct tv_str value)
{
    struct tv_str times, text = {NULL, 0};
    struct range range;
    if (!split_bar(&value, &times) || !read_range(times, &range) || !move(&range, writing->cut))
        return;
    (void)split_bar(&value, &text);
    begin(writing, writing->key);
    put_range(writing->out, &range);
    tv_out_text(writing->out, TV_STR("|"));
    if (writing->cut->is_redacted)
        return;
    tv_out_text(writing->out, text);
    if (value.len && !writing->cut->has_range) {
        tv_out_text(writing->out, TV_STR("|"));
        tv_out_text(writing->out, value);
    }
}

static void put_as_it_is(struct writing *writing, struct tv_str value)
{
    begin(writing, writing->key);
    tv_out_text(writing->out, value);
}

/* "1:main|3|method" */
static void put_call(struct writing *writing, struct tv_str value)
{
    struct tv_str part;
    if (!writing->cut->has_range) {
        put_as_it_is(writing, value);
        return;
    }
    if (!split_bar(&value, &part) || !split_bar(&value, &part) || !value.len)
        return;
    begin(writing, TV_STR("method"));
    tv_out_text(writing->out, value);
}

/* "1.5.9,1.5.0": two calls by their places, which are others where calls are left out. */
static void put_places(struct writing *writing, struct tv_str value)
{
    struct tv_str rest = value, call, part;
    uint64_t number;
    while (tv_str_split(&rest, ',', &call)) {
        while (tv_str_split(&call, '.', &part)) {
            if (!tv_str_to_u64(part, 10, &number))
                return;
        }
    }
    if (!writing->cut->has_range)
        put_as_it_is(writing, value);
}

/* Words of the page's own, which no name is taken for. */
static const char *const words[] = {
    "profile", "flame",    "tree",    "callers", "calls",     "trace",     "insights",
    "frames",  "changes",  "wall",    "cpu",     "wait",      "name",      "asc",
    "desc",    "method",   "class",   "package", "inclusive", "exclusive", "per-call",
    "all",     "inverted", "counted", "time",    "marks",
};

static bool is_word(struct tv_str text)
{
    for (size_t i = 0; i < TV_COUNT_OF(words); i++) {
        if (tv_str_equal(text, tv_str_from(words[i])))
            return true;
    }
    return false;
}

/* "tree", or several words as in "exclusive.wall.desc". */
static void put_words(struct writing *writing, struct tv_str value)
{
    struct tv_str rest = value, part;
    while (writing->cut->is_redacted && tv_str_split(&rest, '.', &part)) {
        if (!is_word(part))
            return;
    }
    put_as_it_is(writing, value);
}

/* "2.1" or "marks.3": a story and its step. */
static void put_story(struct writing *writing, struct tv_str value)
{
    struct tv_str rest = value, part;
    uint64_t number;
    while (writing->cut->is_redacted && tv_str_split(&rest, '.', &part)) {
        if (!is_word(part) && !tv_str_to_u64(part, 10, &number))
            return;
    }
    put_as_it_is(writing, value);
}

/* A part without an old trace has nothing to compare with: its link has no pair of calls. */
static void put_tab(struct writing *writing, struct tv_str value)
{
    const size_t before = writing->count;
    if (writing->cut->has_range && !writing->has_old && tv_str_equal(value, TV_STR("changes")))
        return;
    put_words(writing, value);
    writing->has_tab = writing->count > before;
}

/* Which trace the old one is: a page has one at most, and names it itself. */
static void put_nothing(struct writing *writing, struct tv_str value)
{
    (void)writing, (void)value;
}

typedef void (*put_value)(struct writing *writing, struct tv_str value);

/* What is done with a parameter. Those that are not here name something. */
static const struct {
    const char *key;
    put_value put;
    bool is_nameless;
} parameters[] = {
    {"view", put_ranges, true},    {"picked", put_ranges, true}, {"range", put_ranges, true},
    {"mark", put_mark, true},      {"tab", put_tab, true},       {"clock", put_words, true},
    {"sort", put_words, true},     {"group", put_words, true},   {"flame", put_words, true},
    {"call", put_call, false},     {"callers", put_words, true}, {"idle", put_words, true},
    {"siblings", put_words, true}, {"story", put_story, true},   {"against", put_nothing, true},
    {"beside", put_places, true},
};

/* A parameter that is unknown here may hold a name, so a redacted link leaves it out. */
static void put_parameter(struct writing *writing, struct tv_str value)
{
    for (size_t i = 0; i < TV_COUNT_OF(parameters); i++) {
        if (!tv_str_equal(writing->key, tv_str_from(parameters[i].key)))
            continue;
        if (parameters[i].is_nameless || !writing->cut->is_redacted)
            parameters[i].put(writing, value);
        return;
    }
    if (!writing->cut->is_redacted)
        put_as_it_is(writing, value);
}

void tv_single_file_link_put(struct tv_out *out, struct tv_str link,
                             const struct tv_single_file_cut *cut, bool has_old)
{
    struct writing writing = {.out = out, .cut = cut, .has_old = has_old};
    struct tv_str value;
    while (tv_str_split(&link, '&', &value)) {
        if (tv_str_split(&value, '=', &writing.key) && writing.key.len)
            put_parameter(&writing, value);
    }
    if (!has_old)
        return;
    if (!writing.has_tab) {
        writing.key = TV_STR("tab");
        put_as_it_is(&writing, TV_STR("changes"));
    }
    writing.key = TV_STR("against");
    put_as_it_is(&writing, TV_STR("1"));
}

/* --- marks --- */

/* Anything that is no mark, or a mark without a range, is passed over: the link was written by a
 * page that may be older or newer. */
bool tv_single_file_mark_next(struct tv_str *link, struct tv_single_file_mark *mark)
{
    struct tv_str value, key, times;
    struct range range;
    while (tv_str_split(link, '&', &value)) {
        if (!tv_str_split(&value, '=', &key) || !tv_str_equal(key, TV_STR("mark")) ||
            !split_bar(&value, &times) || !read_range(times, &range))
            continue;
        *mark = (struct tv_single_file_mark){range.from_ns, range.to_ns, {NULL, 0}};
        (void)split_bar(&value, &mark->text);
        return true;
    }
    return false;
}

/* Undoes the second escape, of the signs that would end a name: %25, %2C and %7C. */
static size_t read_name(char *text, size_t len)
{
    size_t to = 0;
    for (size_t at = 0; at < len;) {
        const struct tv_str left = {text + at, len - at};
        const char c = tv_str_starts_with(left, TV_STR("%25"))   ? '%'
                       : tv_str_starts_with(left, TV_STR("%2C")) ? ','
                       : tv_str_starts_with(left, TV_STR("%7C")) ? '|'
                                                                 : '\0';
        text[to++] = c ? c : text[at];
        at += c ? 3 : 1;
    }
    return to;
}

size_t tv_single_file_mark_text(const struct tv_single_file_mark *mark, char *out, size_t cap)
{
    size_t len = 0;
    for (size_t at = 0; at < mark->text.len && len < cap;)
        (void)tv_percent_next(mark->text, &at, &out[len++]);
    return read_name(out, len);
}

/* The text is escaped twice: once as part of a list, where "," and "|" separate, and once as part
 * of a link. */
void tv_single_file_mark_put(struct tv_out *out, const struct tv_single_file_mark *mark)
{
    const struct range range = {mark->from_ns, mark->to_ns};
    tv_out_text(out, TV_STR("mark="));
    put_range(out, &range);
    tv_out_text(out, TV_STR("|"));
    for (size_t i = 0; i < mark->text.len; i++) {
        const struct tv_str sign = {&mark->text.at[i], 1};
        switch (*sign.at) {
        case '%':
            tv_out_text(out, TV_STR("%2525"));
            break;
        case ',':
            tv_out_text(out, TV_STR("%252C"));
            break;
        case '|':
            tv_out_text(out, TV_STR("%257C"));
            break;
        default:
            tv_percent_put(out, sign);
        }
    }
}
