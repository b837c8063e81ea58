/*
 * Finding the classes of a mapping file; see retrace/name_mapping.h.
 *
 * The file is gone through once. A line that begins with neither a blank nor "#" begins a class,
 * and all lines up to the next class are its body, which is searched for its end alone. Bodies are
 * only views of the text here; class_members.c reads the body of a class when somebody asks for one
 * of its methods, because a mapping has far more classes than a trace.
 */
#include "retrace/name_mapping.h"

#include <string.h>

#include "base/error.h"
#include "retrace/class_members.h"
#include "retrace/member_line.h"
#include "retrace/metadata.h"

void tv_name_mapping_init(struct tv_name_mapping *mapping, const struct tv_alloc *alloc)
{
    *mapping = (struct tv_name_mapping){.alloc = alloc};
    tv_text_map_init(&mapping->class_of_written, alloc);
    tv_arena_init(&mapping->repeated, alloc);
}

void tv_name_mapping_release(struct tv_name_mapping *mapping)
{
    for (size_t i = 0; i < mapping->class_count; i++)
        tv_class_members_free(mapping->classes[i].members);
    tv_alloc_release(mapping->alloc, &mapping->classes, mapping->class_cap,
                     sizeof(*mapping->classes));
    tv_text_map_release(&mapping->class_of_written);
    tv_arena_release(&mapping->repeated);
    tv_name_mapping_init(mapping, mapping->alloc);
}

/* One run over the lines of a file. */
struct reading {
    struct tv_name_mapping *mapping;
    struct tv_error *err;
};

/* Takes "pkg.Class -> a.b:" apart. */
static bool parse_class(struct tv_str line, struct tv_mapping_class *found)
{
    static const char arrow[] = " -> ";
    line = tv_str_trim(line);
    size_t at = tv_str_find(line, TV_STR(arrow), TV_CASE_EXACT);
    if (at == SIZE_MAX || !at || line.at[line.len - 1] != ':')
        return false;
    *found = (struct tv_mapping_class){.original = {line.at, at}};
    found->written =
        (struct tv_str){line.at + at + sizeof(arrow) - 1, line.len - at - sizeof(arrow)};
    return found->written.len && !memchr(found->written.at, ' ', found->written.len) &&
           !memchr(found->original.at, ' ', found->original.len);
}

/* Keeps a class whose written name the file had before, with those of that name. */
static enum tv_code add_again(struct reading *reading, struct tv_mapping_class *first,
                              const struct tv_mapping_class *found)
{
    struct tv_mapping_class *again;
    TV_TRY(tv_arena_take(&reading->mapping->repeated, sizeof(*again), &again, reading->err));
    *again = *found;
    again->again = first->again;
    first->again = again;
    return TV_OK;
}

static enum tv_code add_class(struct reading *reading, const struct tv_mapping_class *found)
{
    struct tv_name_mapping *mapping = reading->mapping;
    uint32_t *place;
    TV_TRY(tv_alloc_grow(mapping->alloc, &mapping->classes, &mapping->class_cap,
                         mapping->class_count + 1, sizeof(*mapping->classes), reading->err));
    TV_TRY(tv_text_map_slot(&mapping->class_of_written, found->written,
                            (uint32_t)mapping->class_count, &place, reading->err));
    if (*place < mapping->class_count)
        return add_again(reading, &mapping->classes[*place], found);
    mapping->classes[mapping->class_count++] = *found;
    return TV_OK;
}

/* "# key: value", as both tools write above the first class. */
static void read_head(struct tv_name_mapping *mapping, struct tv_str comment)
{
    const struct {
        struct tv_str key;
        struct tv_str *value;
    } keys[] = {{TV_STR("compiler"), &mapping->compiler},
                {TV_STR("pg_map_id"), &mapping->id},
                {TV_STR("pg_map_hash"), &mapping->hash}};
    struct tv_str value = {comment.at + 1, comment.len - 1};
    struct tv_str key;
    struct tv_metadata metadata;
    if (tv_metadata_parse(comment, &metadata)) {
        if (metadata.kind == TV_METADATA_VERSION)
            mapping->version = metadata.text;
        return;
    }
    (void)tv_str_split(&value, ':', &key);
    for (size_t i = 0; i < TV_COUNT_OF(keys); i++) {
        if (value.len && tv_str_equal(tv_str_trim(key), keys[i].key))
            *keys[i].value = tv_str_trim(value);
    }
}

/* Whether a line that begins with this is of the class before it: a member, a comment, a line of
 * blanks or none. */
static bool begins_body(char first)
{
    return (unsigned char)first <= ' ' || first == '#';
}

/* Bytes that are looked at together: a compiler makes a few instructions of them, and most have no
 * beginning of a class. */
#define SCAN_BLOCK 64u

/* Whether one of the SCAN_BLOCK bytes at `at` ends a line before one that begins a class. Reads one
 * byte more. */
static bool has_class_line(const char *at)
{
    unsigned char found = 0;
    for (size_t i = 0; i < SCAN_BLOCK; i++) {
        const unsigned char next = (unsigned char)at[i + 1];
        found |= (unsigned char)((at[i] == '\n') & (next > ' ') & (next != '#'));
    }
    return found;
}

/* Where the next line begins that is of no class before it; the end of the text, if none does. `at`
 * is where a line ends. */
static size_t next_class_line(struct tv_str text, size_t at)
{
    while (text.len - at > SCAN_BLOCK && !has_class_line(text.at + at))
        at += SCAN_BLOCK;
    for (; text.len - at > 1; at++) {
        if (text.at[at] == '\n' && !begins_body(text.at[at + 1]))
            return at + 1;
    }
    return text.len;
}

/* The text behind a mark of UTF-8, which some editors put before it. UTF-16 is refused by name,
 * because all its lines would be bad ones. */
static enum tv_code begin(struct tv_str *text, struct tv_error *err)
{
    if (tv_str_starts_with(*text, TV_STR("\xff\xfe")) ||
        tv_str_starts_with(*text, TV_STR("\xfe\xff")))
        return tv_fail(err, TV_ERR_FORMAT, 0,
                       "a mapping of names in UTF-16: save it as UTF-8 and try again");
    if (tv_str_starts_with(*text, TV_STR("PK\x03\x04")))
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                       "a zip archive, and no mapping of names: take the mapping out of it; in a "
                       "bundle of Android (.aab) that is "
                       "BUNDLE-METADATA/com.android.tools.build.obfuscation/proguard.map");
    if (tv_str_starts_with(*text, TV_STR("\xef\xbb\xbf")))
        *text = (struct tv_str){text->at + 3, text->len - 3};
    return TV_OK;
}

void tv_name_mapping_read_head(struct tv_name_mapping *mapping, struct tv_str text)
{
    struct tv_str line;
    if (begin(&text, NULL) != TV_OK)
        return;
    mapping->text = text;
    while (text.len && tv_str_split(&text, '\n', &line)) {
        if (line.len && !begins_body(line.at[0]))
            return;
        if (line.len && line.at[0] == '#')
            read_head(mapping, line);
    }
}

/* The trace and the mapping each have the whole hash, in hexadecimal, or its beginning. */
bool tv_name_mapping_has_id(const struct tv_name_mapping *mapping, struct tv_str id)
{
    struct tv_str hash = mapping->hash;
    size_t word = tv_str_find(hash, TV_STR(" "), TV_CASE_EXACT); /* "SHA-256 7d4b..." */
    if (word != SIZE_MAX)
        hash = (struct tv_str){hash.at + word + 1, hash.len - word - 1};
    return tv_str_starts_with(hash, id) ||
           (mapping->id.len &&
            (tv_str_starts_with(id, mapping->id) || tv_str_starts_with(mapping->id, id)));
}

/* Reads the line of a class that stands at `at`, and passes over its body. */
static enum tv_code read_class(struct reading *reading, struct tv_str line, size_t *at)
{
    struct tv_name_mapping *mapping = reading->mapping;
    struct tv_mapping_class found;
    const size_t line_end = *at + line.len;
    *at = next_class_line(mapping->text, line_end);
    if (!parse_class(line, &found)) {
        reading->mapping->bad_lines++;
        return TV_OK;
    }
    size_t end = *at;
    while (end > line_end && mapping->text.at[end - 1] == '\n')
        end--;
    found.body = (struct tv_str){mapping->text.at + line_end, end - line_end};
    return add_class(reading, &found);
}

/* Bodies of classes are views of the text, and nothing in them is read before somebody asks for a
 * method of the class. */
enum tv_code tv_name_mapping_open(struct tv_name_mapping *mapping, struct tv_str text,
                                  struct tv_error *err)
{
    struct reading reading = {.mapping = mapping, .err = err};
    TV_TRY(begin(&text, err));
    mapping->text = text;
    for (size_t at = 0; at < text.len;) {
        const char *line_end = memchr(text.at + at, '\n', text.len - at);
        const struct tv_str line = {text.at + at,
                                    line_end ? (size_t)(line_end - text.at) - at : text.len - at};
        if (line.len && !begins_body(line.at[0])) {
            TV_TRY(read_class(&reading, line, &at));
            continue;
        }
        if (line.len && line.at[0] == '#')
            read_head(mapping, line);
        at += line.len + 1;
    }
    if (!mapping->class_count)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                       "no mapping of names: it has no line such as \"pkg.Class -> a.b:\"");
    return TV_OK;
}

bool tv_name_mapping_tells_signatures(const struct tv_name_mapping *mapping)
{
    struct tv_str minor = mapping->version;
    struct tv_str major;
    uint64_t of_major;
    uint64_t of_minor;
    return tv_str_split(&minor, '.', &major) && tv_str_to_u64(major, 10, &of_major) &&
           tv_str_to_u64(minor, 10, &of_minor) &&
           (of_major > 2 || (of_major == 2 && of_minor >= 2));
}

struct tv_mapping_class *tv_name_mapping_class(const struct tv_name_mapping *mapping,
                                               struct tv_str written)
{
    uint32_t place = tv_text_map_get(&mapping->class_of_written, written);
    return place == TV_MAP_NONE ? NULL : &mapping->classes[place];
}
