/*
 * Reading and finding the methods of a class; see retrace/class_members.h.
 *
 * Lines of one written name and one range, one behind the other, are a method and what was inlined
 * into it, innermost first, or overloads. Of the former only the last can be entered by a thread,
 * so the others are marked, and found by no trace's method.
 */
#include "retrace/class_members.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/memory/sort.h"
#include "retrace/member_line.h"
#include "retrace/metadata.h"
#include "retrace/name_mapping.h"
#include "retrace/types.h"

/* Numbers that differ where two lines do, nearly always: most lines are like none of those before
 * them, and that is seen without comparing texts. */
struct line_print {
    uint64_t signature; /* of type and parameters */
    uint64_t method;    /* of the names */
};

/* Lines whose methods are remembered: a method has a line for each range, with what was inlined
 * into it between them. */
#define RECENT_LINES 8u
#define NO_METHOD SIZE_MAX

struct recent_line {
    struct tv_member_line line;
    struct line_print print;
    size_t method; /* its place in the members */
};

/* One run over the bodies of a class. */
struct reading {
    struct tv_class_members *members;
    const struct tv_mapping_class *of, *part; /* the class, and where its lines stand */
    struct tv_buffer signature;
    /* This line and the one before, by turns; here, so that they are not cleared for each. */
    struct recent_line lines[2];
    unsigned line_ix; /* of this line */
    struct recent_line recent[RECENT_LINES];
    struct line_print prints[RECENT_LINES]; /* of these */
    size_t recent_count; /* of all lines: the newest is recent[(recent_count - 1) % RECENT_LINES] */
    size_t before;       /* the method of the line before; NO_METHOD: that was none */
    /* The methods of the lines above it in its group, which are inlined into the last one's. */
    size_t *group;
    size_t group_count, group_cap;
    bool is_after_other; /* a field, or a line that could not be read */
    struct tv_error *err;
};

#define PRINT_FACTOR                                                                               \
    0x9e3779b97f4a7c15u /* 2^64 by the golden ratio: mixes low bits into high ones */

/* The length and the last bytes, in which names differ that are made one like the other. */
static uint64_t print_of(struct tv_str text)
{
    const uint8_t *bytes = (const uint8_t *)text.at;
    uint64_t last = 0;
    if (text.len >= 8)
        last = tv_load_le64(bytes + text.len - 8);
    else if (text.len >= 4)
        last = (uint64_t)tv_load_le32(bytes) << 32 | tv_load_le32(bytes + text.len - 4);
    else
        for (size_t i = 0; i < text.len; i++)
            last = last << 8 | bytes[i];
    return (last ^ text.len) * PRINT_FACTOR;
}

/* From the type to the end of the parameters: one text, so that it is compared at once. */
static struct tv_str declared(const struct tv_member_line *line)
{
    const char *end = line->parameters.at + line->parameters.len;
    return (struct tv_str){line->type.at, (size_t)(end - line->type.at)};
}

static struct line_print print_line(const struct tv_member_line *line)
{
    return (struct line_print){.signature = print_of(line->parameters) ^ print_of(line->type) >> 7,
                               .method = print_of(line->name) ^ print_of(line->written) >> 9 ^
                                         declared(line).len};
}

/* Whether two lines of one name and range are of two methods. The line of a method that another was
 * inlined into has one number behind its parameters, that of the call; R8 leaves it out where the
 * build has the same number, and ProGuard has none in the lines of overloads. A method without
 * lines has "0:0", and then one that the compiler made looks like an overload of what it calls. */
static bool are_overloads(const struct tv_member_line *first, const struct tv_member_line *second)
{
    const bool have_same_types = tv_str_equal(first->parameters, second->parameters) &&
                                 tv_str_equal(first->type, second->type);
    const struct tv_str lines = second->source_range;
    if (!lines.len)
        return !have_same_types && !first->source_range.len && !first->class_name.len;
    if (tv_str_equal(lines, TV_STR("0:0")))
        return !have_same_types;
    return memchr(lines.at, ':', lines.len) != NULL;
}

/* Inlined methods of one that are compared with the next: it has most of them in each range. */
#define RECENT_INLINED 8u

static bool is_inlined_already(const struct tv_class_members *members, uint32_t last,
                               const struct tv_mapped_method *method)
{
    for (unsigned i = 0; last && i < RECENT_INLINED; i++) {
        const struct tv_inlined_method *one = &members->inlined[last - 1];
        if (tv_str_equal(one->name, method->name) &&
            tv_str_equal(one->signature, method->signature) &&
            tv_str_equal(one->class_name, method->class_name))
            return true;
        last = one->before;
    }
    return false;
}

/* Notes that a method runs inside another one. */
static enum tv_code add_inlined(struct reading *reading, size_t method, size_t into)
{
    struct tv_class_members *members = reading->members;
    const struct tv_mapped_method *of = &members->methods[method];
    uint32_t *last = &members->methods[into].last_inlined;
    if (method == into || members->inlined_count >= UINT32_MAX - 1 ||
        is_inlined_already(members, *last, of))
        return TV_OK;
    TV_TRY(tv_alloc_grow(members->alloc, &members->inlined, &members->inlined_cap,
                         members->inlined_count + 1, sizeof(*members->inlined), reading->err));
    members->inlined[members->inlined_count++] =
        (struct tv_inlined_method){of->class_name, of->name, of->signature, *last};
    *last = (uint32_t)members->inlined_count;
    return TV_OK;
}

/* The method of the line before was inlined into that of this line, or else is entered, and what
 * the lines above it in its group name runs inside it. */
static enum tv_code settle_before(struct reading *reading, const struct tv_member_line *line)
{
    const struct tv_member_line *last = &reading->lines[!reading->line_ix].line;
    if (reading->before == NO_METHOD)
        return TV_OK;
    if (line && line->range.len && tv_str_equal(last->range, line->range) &&
        tv_str_equal(last->written, line->written) && !are_overloads(last, line)) {
        TV_TRY(tv_alloc_grow(reading->members->alloc, &reading->group, &reading->group_cap,
                             reading->group_count + 1, sizeof(*reading->group), reading->err));
        reading->group[reading->group_count++] = reading->before;
        return TV_OK;
    }
    reading->members->methods[reading->before].is_inlined = false;
    for (size_t i = 0; i < reading->group_count; i++)
        TV_TRY(add_inlined(reading, reading->group[i], reading->before));
    reading->group_count = 0;
    return TV_OK;
}

static bool has_same_signature(const struct recent_line *a, const struct recent_line *b)
{
    return tv_str_equal(a->line.parameters, b->line.parameters) &&
           tv_str_equal(a->line.type, b->line.type);
}

static bool is_same_method(const struct recent_line *a, const struct recent_line *b)
{
    return tv_str_equal(declared(&a->line), declared(&b->line)) &&
           tv_str_equal(a->line.written, b->line.written);
}

enum like { LIKE_SIGNATURE, LIKE_METHOD };

/* The method of a line shortly before that is like this one; NO_METHOD: there is none. Only the
 * numbers are looked at first, which stand together. */
static inline size_t find_recent(const struct reading *reading, const struct recent_line *line,
                                 enum like like)
{
    const size_t count =
        reading->recent_count < RECENT_LINES ? reading->recent_count : RECENT_LINES;
    for (size_t i = 0; i < count; i++) {
        const size_t at = (reading->recent_count - 1 - i) % RECENT_LINES;
        const struct line_print *print = &reading->prints[at];
        const struct recent_line *recent = &reading->recent[at];
        if (like == LIKE_METHOD
                ? print->method == line->print.method && is_same_method(recent, line)
                : print->signature == line->print.signature && has_same_signature(recent, line))
            return recent->method;
    }
    return NO_METHOD;
}

/* Methods that stand together often have one signature, and share its text. */
static enum tv_code make_signature(struct reading *reading, const struct recent_line *line,
                                   struct tv_str *signature)
{
    struct tv_class_members *members = reading->members;
    const size_t like = find_recent(reading, line, LIKE_SIGNATURE);
    char *text;
    if (like != NO_METHOD) {
        *signature = members->methods[like].signature;
        return TV_OK;
    }
    reading->signature.len = 0;
    TV_TRY(tv_signature_add(&reading->signature, line->line.parameters, line->line.type,
                            reading->err));
    TV_TRY(tv_arena_take(&members->texts, reading->signature.len, &text, reading->err));
    memcpy(text, reading->signature.bytes, reading->signature.len);
    *signature = (struct tv_str){text, reading->signature.len};
    return TV_OK;
}

static enum tv_code append(struct tv_class_members *members, const struct tv_mapped_method *method,
                           struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(members->alloc, &members->methods, &members->cap, members->count + 1,
                         sizeof(*members->methods), err));
    members->methods[members->count++] = *method;
    return TV_OK;
}

static enum tv_code add_method(struct reading *reading, struct recent_line *line)
{
    struct tv_class_members *members = reading->members;
    struct tv_str signature;
    line->print = print_line(&line->line);
    reading->before = find_recent(reading, line, LIKE_METHOD);
    if (reading->before != NO_METHOD)
        return TV_OK;
    TV_TRY(make_signature(reading, line, &signature));
    const struct tv_str class_name =
        line->line.class_name.len ? line->line.class_name : reading->part->original;
    const bool is_own = tv_str_equal(class_name, reading->of->original);
    const struct tv_mapped_method method = {.written = line->line.written,
                                            .class_name = is_own ? TV_STR("") : class_name,
                                            .name = line->line.name,
                                            .signature = signature,
                                            .is_inlined = true};
    TV_TRY(append(members, &method, reading->err));
    reading->before = members->count - 1;
    line->method = reading->before;
    const size_t at = reading->recent_count++ % RECENT_LINES;
    reading->recent[at] = *line;
    reading->prints[at] = line->print;
    return TV_OK;
}

/* Two methods of the build may be one of the source: then each has a residual signature. */
static enum tv_code take_residual(struct reading *reading, struct tv_str residual)
{
    struct tv_mapped_method *method = &reading->members->methods[reading->before];
    struct tv_mapped_method other = *method;
    if (!method->residual.len || tv_str_equal(method->residual, residual)) {
        method->residual = residual;
        return TV_OK;
    }
    other.residual = residual;
    other.last_inlined = 0;
    reading->recent_count = 0;
    reading->before = reading->members->count;
    return append(reading->members, &other, reading->err);
}

/* A comment is about the member above it, or above all members about the class. What is no
 * signature of a method is passed over: the method would be found by nothing. */
static enum tv_code read_comment(struct reading *reading, struct tv_str line)
{
    struct tv_class_members *members = reading->members;
    struct tv_metadata metadata;
    if (!tv_metadata_parse(line, &metadata) || reading->is_after_other)
        return TV_OK;
    struct tv_mapped_method *method =
        reading->before != NO_METHOD ? &members->methods[reading->before] : NULL;
    if (metadata.kind == TV_METADATA_SYNTHESIZED && method)
        method->is_synthesized = true;
    else if (metadata.kind == TV_METADATA_SYNTHESIZED && reading->part == reading->of)
        members->is_synthesized = true;
    else if (metadata.kind == TV_METADATA_RESIDUAL_SIGNATURE && method &&
             tv_signature_is_whole(metadata.text))
        return take_residual(reading, metadata.text);
    return TV_OK;
}

/* A line that cannot be read ends the group before it: lines behind it are no longer inlined into
 * it. */
static enum tv_code read_line(struct reading *reading, struct tv_str line)
{
    line = tv_str_trim(line);
    if (!line.len)
        return TV_OK;
    if (line.at[0] == '#')
        return read_comment(reading, line);
    reading->line_ix = !reading->line_ix;
    struct recent_line *now = &reading->lines[reading->line_ix];
    const struct tv_member_line *member = &now->line;
    bool is_member = tv_member_line_parse(line, &now->line);
    TV_TRY(settle_before(reading, is_member && member->is_method ? member : NULL));
    reading->members->bad_lines += !is_member;
    reading->before = NO_METHOD;
    reading->is_after_other = !is_member || !member->is_method;
    if (reading->is_after_other)
        return TV_OK;
    return add_method(reading, now);
}

/* What a trace's signature is compared with. */
static struct tv_str key_of(const struct tv_mapped_method *method)
{
    return method->residual.len ? method->residual : method->signature;
}

/* The methods of one name: first those without a residual signature, then those with one. */
enum part { PART_OF_SOURCE, PART_OF_BUILD, PART_END };

static enum part part_of(const struct tv_mapped_method *method)
{
    return method->residual.len ? PART_OF_BUILD : PART_OF_SOURCE;
}

/* As tv_str_compare: names of a build have few letters, and differ in one of the first as a rule.
 */
static int compare_names(struct tv_str a, struct tv_str b)
{
    const size_t len = a.len < b.len ? a.len : b.len;
    for (size_t i = 0; i < len && i < 4; i++) {
        if (a.at[i] != b.at[i])
            return (unsigned char)a.at[i] < (unsigned char)b.at[i] ? -1 : 1;
    }
    return tv_str_compare(a, b);
}

/* The order of sorting, up to the signature. */
static int compare_to(const struct tv_mapped_method *method, struct tv_str written, enum part part,
                      struct tv_str key)
{
    int by_name = compare_names(method->written, written);
    if (by_name)
        return by_name;
    return part_of(method) != part ? (part_of(method) > part ? 1 : -1)
                                   : tv_str_compare(key_of(method), key);
}

static int compare_methods(const struct tv_mapped_method *a, const struct tv_mapped_method *b)
{
    int by_key = compare_to(a, b->written, part_of(b), key_of(b));
    if (by_key)
        return by_key;
    if (a->is_inlined != b->is_inlined)
        return b->is_inlined ? -1 : 1;
    int by_class = tv_str_compare(a->class_name, b->class_name);
    return by_class ? by_class : tv_str_compare(a->name, b->name);
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_mapped_method *methods = ctx;
    return compare_methods(&methods[a], &methods[b]);
}

/* What was inlined into lines of a method that stand elsewhere. */
static void join_inlined(struct tv_class_members *members, struct tv_mapped_method *to,
                         const struct tv_mapped_method *from)
{
    uint32_t first = from->last_inlined;
    if (!first)
        return;
    while (members->inlined[first - 1].before)
        first = members->inlined[first - 1].before;
    members->inlined[first - 1].before = to->last_inlined;
    to->last_inlined = from->last_inlined;
}

/* A method whose lines stand far apart was added more than once; one is kept, with what any of them
 * says. */
static void drop_repeated(struct tv_class_members *members)
{
    size_t kept = 0;
    for (size_t i = 0; i < members->count; i++) {
        if (!kept || compare(members->methods, (uint32_t)(kept - 1), (uint32_t)i) != 0) {
            members->methods[kept++] = members->methods[i];
            continue;
        }
        members->methods[kept - 1].is_synthesized |= members->methods[i].is_synthesized;
        join_inlined(members, &members->methods[kept - 1], &members->methods[i]);
    }
    members->count = kept;
}

/* The method itself; NULL: the members do not have it. */
static struct tv_mapped_method *find_same(const struct tv_class_members *members,
                                          const struct tv_mapped_method *method)
{
    size_t low = 0;
    size_t high = members->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_methods(&members->methods[middle], method);
        if (!order)
            return &members->methods[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* R8 writes the residual signature below the first line of a method alone. Lines of it that stand
 * far behind that one were added as a method without, which the build does not have. */
static void drop_unsigned(struct tv_class_members *members)
{
    size_t dropped = 0;
    size_t kept = 0;
    for (size_t i = 0; i < members->count; i++) {
        struct tv_mapped_method wanted = members->methods[i];
        if (!wanted.residual.len)
            continue;
        wanted.residual = TV_STR("");
        wanted.is_inlined = false;
        struct tv_mapped_method *same = find_same(members, &wanted);
        if (!same)
            continue;
        members->methods[i].is_synthesized |= same->is_synthesized;
        if (!same->is_dropped)
            join_inlined(members, &members->methods[i], same);
        dropped += !same->is_dropped;
        same->is_dropped = true;
    }
    for (size_t i = 0; dropped && i < members->count; i++) {
        if (!members->methods[i].is_dropped)
            members->methods[kept++] = members->methods[i];
    }
    members->count -= dropped;
}

/* One body: of the class, or of another that became the same one of the build. */
static enum tv_code read_part(struct reading *reading)
{
    struct tv_str body = reading->part->body;
    struct tv_str line;
    enum tv_code code = TV_OK;
    reading->before = NO_METHOD;
    reading->is_after_other = false;
    reading->recent_count = 0;
    while (code == TV_OK && body.len && tv_str_split(&body, '\n', &line))
        code = read_line(reading, line);
    return code == TV_OK ? settle_before(reading, NULL) : code;
}

static enum tv_code read_class(struct tv_class_members *members, const struct tv_mapping_class *of,
                               struct tv_error *err)
{
    struct reading reading = {.members = members, .of = of, .part = of, .err = err};
    enum tv_code code = TV_OK;
    tv_buffer_init(&reading.signature, members->alloc);
    for (; code == TV_OK && reading.part; reading.part = reading.part->again)
        code = read_part(&reading);
    tv_buffer_release(&reading.signature);
    tv_alloc_release(members->alloc, &reading.group, reading.group_cap, sizeof(*reading.group));
    if (code == TV_OK)
        code = tv_sort_rows(members->alloc, members->methods, members->count,
                            sizeof(*members->methods), compare, members->methods, err);
    drop_repeated(members);
    drop_unsigned(members);
    return code;
}

enum tv_code tv_class_members_new(struct tv_class_members **members,
                                  const struct tv_mapping_class *of, const struct tv_alloc *alloc,
                                  struct tv_error *err)
{
    struct tv_class_members *made;
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    made->alloc = alloc;
    tv_arena_init(&made->texts, alloc);
    enum tv_code code = read_class(made, of, err);
    if (code == TV_OK)
        *members = made;
    else
        tv_class_members_free(made);
    return code;
}

void tv_class_members_free(struct tv_class_members *members)
{
    if (!members)
        return;
    const struct tv_alloc *alloc = members->alloc;
    tv_arena_release(&members->texts);
    tv_alloc_release(alloc, &members->methods, members->cap, sizeof(*members->methods));
    tv_alloc_release(alloc, &members->inlined, members->inlined_cap, sizeof(*members->inlined));
    tv_alloc_release(alloc, &members, 1, sizeof(*members));
}

/* The first method that does not sort before these keys. */
static size_t search(const struct tv_class_members *members, struct tv_str written, enum part part,
                     struct tv_str key)
{
    size_t low = 0;
    size_t high = members->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_to(&members->methods[middle], written, part, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t tv_class_members_named(const struct tv_class_members *members, struct tv_str written,
                              size_t *first)
{
    *first = search(members, written, PART_OF_SOURCE, TV_STR(""));
    return search(members, written, PART_END, TV_STR("")) - *first;
}

const struct tv_mapped_method *tv_class_members_find(const struct tv_class_members *members,
                                                     struct tv_str written,
                                                     enum tv_signature_of which,
                                                     struct tv_str signature)
{
    const enum part part = which == TV_SIGNATURE_OF_BUILD ? PART_OF_BUILD : PART_OF_SOURCE;
    size_t at = search(members, written, part, signature);
    const struct tv_mapped_method *found = at < members->count ? &members->methods[at] : NULL;
    return found && !found->is_inlined && compare_to(found, written, part, signature) == 0 ? found
                                                                                           : NULL;
}

const struct tv_mapped_method *tv_class_members_next(const struct tv_class_members *members,
                                                     const struct tv_mapped_method *method)
{
    const struct tv_mapped_method *next = method + 1;
    return next < members->methods + members->count && !next->is_inlined &&
                   compare_to(next, method->written, part_of(method), key_of(method)) == 0
               ? next
               : NULL;
}
