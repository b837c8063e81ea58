/*
 * Methods by number; see record/methods.h.
 *
 * A method is one line of text, in the columns that trace files have: class, name, signature, file,
 * line. The line is its identity: a hash table with open addressing maps lines to numbers.
 * Descriptions stand in pages that never move, so a pointer to one stays good. What a program says
 * is cleaned on the way in: no tabs or line ends in names, UTF-8 only, bounded lengths.
 */
#include "record/methods.h"

#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8_check.h"
#include "record/memory.h"

#define CLASS_MOST 20000u
#define NAME_MOST 20000u
#define SIGNATURE_MOST 15000u
#define FILE_MOST 4096u
#define LINE_MOST 65000u
/* Descriptions per page; pages never move. */
#define PAGE_METHODS 4096u
#define PAGES_MOST 16384u
#define SLOTS_LEAST 1024u

static struct tv_memory memory;
static struct tv_recorded_method *pages[PAGES_MOST];
static uint32_t method_count;
static uint32_t *numbers; /* a hash table, open addressing; 0 is free */
static size_t number_cap;
static char line[LINE_MOST]; /* the line that is being put together, under the lock */

/* Copies a name so that it can stand in a line of a trace file: control characters become spaces
 * and bytes that are no UTF-8 become question marks. A character that does not fit whole is left
 * out. */
size_t tv_name_copy(char *to, size_t cap, const char *name, size_t name_len)
{
    size_t len = 0;
    size_t from_len = name ? strnlen(name, name_len) : 0;
    for (size_t at = 0; at < from_len;) {
        size_t bytes = tv_utf8_check((const uint8_t *)name + at, from_len - at);
        if ((bytes ? bytes : 1) > cap - len)
            break;
        unsigned char first = (unsigned char)name[at];
        if (bytes > 1)
            memcpy(to + len, name + at, bytes);
        else
            to[len] = bytes == 0 ? '?' : first < ' ' || first == 0x7f ? ' ' : (char)first;
        len += bytes ? bytes : 1;
        at += bytes ? bytes : 1;
    }
    return len;
}

static const char *file_name_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* Splits a name that was given without a class, as "a.b.C.m(int)" or "ns::C::m<T>", behind its last
 * "." or "::" before arguments. Returns the length of the class, and where the method begins; 0
 * where there is no class. */
static size_t class_len_in(const char *name, const char **method)
{
    const char *end = name + strcspn(name, "(<");
    *method = name;
    for (const char *at = end; at > name; at--) {
        if (at[-1] == '.' && at - 1 > name && at < end) {
            *method = at;
            return (size_t)(at - 1 - name);
        }
        if (at - name > 2 && at[-1] == ':' && at[-2] == ':' && at < end) {
            *method = at;
            return (size_t)(at - 2 - name);
        }
    }
    return 0;
}

/* A method without a class gets one from its name, or else from the name of its source file: traces
 * of C programs then group by file. */
static size_t put_class_and_name(char *to, const struct tv_method_text *text)
{
    const char *name = text->name ? text->name : "";
    const char *method = name;
    size_t len;
    if (text->class_name && *text->class_name) {
        len = tv_name_copy(to, CLASS_MOST, text->class_name, SIZE_MAX);
    } else {
        size_t class_len = class_len_in(name, &method);
        const char *file = file_name_of(text->file);
        if (class_len)
            len = tv_name_copy(to, CLASS_MOST, name, class_len);
        else
            len = file ? tv_name_copy(to, CLASS_MOST, file, strcspn(file, ".")) : 0;
    }
    to[len++] = '\t';
    return len + tv_name_copy(to + len, NAME_MOST, method, SIZE_MAX);
}

static size_t put_number(char *to, unsigned value)
{
    char digits[TV_DECIMAL_MOST];
    char *end = digits + sizeof(digits);
    const char *first = tv_decimal_before(end, value);
    memcpy(to, first, (size_t)(end - first));
    return (size_t)(end - first);
}

/* Readers know a signature by its "("; one without arguments is written like Java's. */
static size_t put_signature(char *to, const char *signature)
{
    return tv_name_copy(to, SIGNATURE_MOST, signature && *signature ? signature : "()", SIZE_MAX);
}

static size_t put_line(const struct tv_method_text *text)
{
    size_t len = put_class_and_name(line, text);
    line[len++] = '\t';
    len += put_signature(line + len, text->signature);
    line[len++] = '\t';
    len += tv_name_copy(line + len, FILE_MOST, file_name_of(text->file), SIZE_MAX);
    if (text->line > 0) {
        line[len++] = '\t';
        len += put_number(line + len, (unsigned)text->line);
    }
    line[len++] = '\n';
    return len;
}

static size_t hash_of(const char *text, size_t len)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

/* The place of a line in the table, or the free one where it belongs. */
static uint32_t *place_of(const char *text, size_t len)
{
    for (size_t at = hash_of(text, len);; at++) {
        uint32_t *place = &numbers[at & (number_cap - 1)];
        if (!*place)
            return place;
        const struct tv_recorded_method *method = tv_methods_get(*place);
        if (method->len == len && memcmp(method->line, text, len) == 0)
            return place;
    }
}

/* Makes room for one more, so that the table is at most half full. */
static bool grow_table(void)
{
    if (method_count + 1 <= number_cap / 2)
        return true;
    size_t cap = number_cap ? number_cap * 2 : SLOTS_LEAST;
    uint32_t *old = numbers;
    size_t old_cap = number_cap;
    uint32_t *grown = tv_mapping_cache_take(cap * sizeof(*grown));
    if (!grown)
        return false;
    numbers = grown;
    number_cap = cap;
    for (uint32_t i = 1; i <= method_count; i++)
        *place_of(tv_methods_get(i)->line, tv_methods_get(i)->len) = i;
    tv_mapping_cache_release(old, old_cap * sizeof(*old));
    return true;
}

static struct tv_recorded_method *take_description(uint32_t number)
{
    struct tv_recorded_method **page = &pages[number / PAGE_METHODS];
    if (number / PAGE_METHODS >= PAGES_MOST)
        return NULL;
    if (!*page)
        *page = tv_memory_take(&memory, PAGE_METHODS * sizeof(**page));
    return *page ? *page + number % PAGE_METHODS : NULL;
}

/* A failure leaves the table as it was: the place is filled last. */
uint32_t tv_methods_number(const struct tv_method_text *text)
{
    if (!grow_table())
        return 0;
    size_t len = put_line(text);
    uint32_t *place = place_of(line, len);
    if (*place)
        return *place;
    struct tv_recorded_method *method = take_description(method_count + 1);
    char *copy = method ? tv_memory_take(&memory, len) : NULL;
    if (!copy)
        return 0;
    memcpy(copy, line, len);
    *method = (struct tv_recorded_method){.line = copy, .len = (uint32_t)len};
    method_count++;
    *place = method_count;
    return *place;
}

uint32_t tv_methods_count(void)
{
    return method_count;
}

struct tv_recorded_method *tv_methods_get(uint32_t number)
{
    return pages[number / PAGE_METHODS] + number % PAGE_METHODS;
}
