/*
 * A request to a site, whatever it says: a path finds a pattern and hands over parts of itself, or
 * finds none; fields of a query or a form are taken, or refused in one line, and what is taken can
 * be shown, is no path, and is no longer than the store takes; a checksum is 64 digits or refused.
 *
 * The input: a line with a target, a line with the value of a header, and the body of a form.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/text/utf8.h"
#include "check.h"
#include "http/path_pattern.h"
#include "site/request/fields.h"
#include "site/upload/digests.h"

/* An arena's first block, and texts whose room does not depend on their length. */
#define TEXT_ROOM ((size_t)4 << 20)

static bool is_inside(struct tv_str part, struct tv_str whole)
{
    return part.at >= whole.at && part.len <= whole.len &&
           (size_t)(part.at - whole.at) <= whole.len - part.len;
}

static void check_path(struct tv_str path)
{
    static const char *const patterns[] = {"/",
                                           "/trace/{id}",
                                           "/trace/{id}/{thread}.svg",
                                           "/api/v1/traces/{id}/view/{route}",
                                           "/static/{file}",
                                           "api/{rest}"};
    for (size_t i = 0; i < TV_COUNT_OF(patterns); i++) {
        struct tv_path_parts parts;
        if (!tv_path_matches(patterns[i], path, &parts))
            continue;
        FUZZ_CHECK(!strstr(patterns[i], "{id}") ||
                   (parts.id.len == 32 && is_inside(parts.id, path)));
        FUZZ_CHECK(!parts.name.len || is_inside(parts.name, path));
        FUZZ_CHECK(!parts.name.len || strstr(patterns[i], "{rest}") ||
                   (parts.name.at[0] != '.' && !memchr(parts.name.at, '/', parts.name.len)));
    }
}

static void check_text(struct tv_str text, size_t most, bool may_have_lines)
{
    FUZZ_CHECK(text.len <= most);
    for (size_t at = 0; at < text.len;) {
        uint32_t character = tv_utf8_next(text, &at);
        bool is_line = character == '\n' || character == '\t';
        FUZZ_CHECK(!tv_utf8_needs_escape(character) || (may_have_lines && is_line));
    }
}

static void check_fields(const struct tv_fields *fields)
{
    check_text(fields->file, TV_STORE_NAME_MOST, false);
    check_text(fields->title, TV_STORE_TITLE_MOST, false);
    check_text(fields->note, TV_STORE_NOTE_MOST, true);
    FUZZ_CHECK(!fields->file.at || fields->file.len);
    FUZZ_CHECK(!fields->file.len || !memchr(fields->file.at, '/', fields->file.len));
    FUZZ_CHECK(!fields->file.len || !memchr(fields->file.at, '\\', fields->file.len));
    FUZZ_CHECK(!tv_str_equal(fields->file, TV_STR("..")));
    FUZZ_CHECK(fields->label_count <= TV_STORE_LABELS_MOST);
    for (size_t i = 0; i < fields->label_count; i++) {
        check_text(fields->labels[i].key, TV_STORE_LABEL_KEY_MOST, false);
        check_text(fields->labels[i].value, TV_STORE_LABEL_VALUE_MOST, false);
        FUZZ_CHECK(fields->labels[i].key.len);
    }
    int64_t expiry = tv_fields_expiry(fields, 1000, UINT64_MAX, 1700000000);
    FUZZ_CHECK(!expiry || expiry > 1700000000);
}

static void check_line(const struct tv_error *err)
{
    FUZZ_CHECK(err->text[0] && !strchr(err->text, '\n'));
}

static void take(const struct tv_alloc *alloc, struct tv_str query, struct tv_str name)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_fields fields;
    struct tv_arena arena;
    tv_arena_init(&arena, alloc);
    tv_fields_init(&fields, &arena);
    if (tv_fields_take_query(&fields, query, &err) != TV_OK)
        check_line(&err);
    FUZZ_CHECK(tv_fields_take_file_name(&fields, name, &err) == TV_OK);
    FUZZ_CHECK(fields.file.len);
    check_fields(&fields);
    tv_arena_release(&arena);
}

static void check_digest(const char *header, struct tv_str value, enum tv_digest_of what)
{
    const struct tv_http_field field = {tv_str_from(header), value};
    const struct tv_http_request request = {.fields = &field, .field_count = 1};
    struct tv_error err = {.code = TV_OK};
    struct tv_hash hash;
    bool has;
    if (tv_digests_find(&request, what, &has, &hash, &err) != TV_OK)
        check_line(&err);
    else if (has)
        FUZZ_CHECK(strspn(hash.hex, "0123456789abcdef") == 64 && !hash.hex[64]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_memory memory;
    struct tv_str rest = {(const char *)bytes, len};
    struct tv_str target = {"", 0};
    struct tv_str header = {"", 0};
    struct tv_str path = {"", 0};
    fuzz_memory_init(&memory, len);
    memory.most += TEXT_ROOM;
    (void)tv_str_split(&rest, '\n', &target);
    (void)tv_str_split(&rest, '\n', &header);
    struct tv_str query = target;
    (void)tv_str_split(&query, '?', &path);
    check_path(path);
    take(&memory.alloc, query, header);
    take(&memory.alloc, rest, target);
    check_digest("X-Checksum-Sha256", header, TV_DIGEST_OF_BODY);
    check_digest("Content-Digest", header, TV_DIGEST_OF_BODY);
    check_digest("Repr-Digest", header, TV_DIGEST_OF_FILE);
    fuzz_memory_check_released(&memory);
    return 0;
}
