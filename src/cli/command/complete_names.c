/*
 * Names of a trace for completion; see cli/command/complete_names.h.
 *
 * Names of methods are completed like paths: a step goes up to the next point, so that the answer
 * is short in a trace of a hundred thousand methods. Steps that leave no choice are taken at once.
 *
 * A shell waits for the answer at each press of a key, so names come from a saved index only, and a
 * trace without one has none: no trace is read here. Names are untrusted: one that a terminal would
 * obey, or that ends a line, is left out. Whatever fails, the answer is shorter, and nothing is
 * said.
 */
#include "cli/command/complete_names.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/text/utf8.h"
#include "cli/file/index_cache.h"
#include "cli/file/mapping_files.h"
#include "cli/wording.h"
#include "os/file/paths.h"

/* More names than this, or longer ones, are no help to anyone. */
#define NAME_LIMIT 1000u
#define LONGEST_NAME TV_NAME_SHOWN

/* The distinct names found so far, in order. */
struct found {
    const struct tv_alloc *alloc;
    struct tv_buffer text;
    struct piece {
        size_t at;
        size_t len;
    } * of;
    size_t count;
    size_t cap;
    enum tv_code code;
};

static void found_init(struct found *found, const struct tv_alloc *alloc)
{
    *found = (struct found){.alloc = alloc};
    tv_buffer_init(&found->text, alloc);
}

static void found_release(struct found *found)
{
    tv_buffer_release(&found->text);
    tv_alloc_release(found->alloc, &found->of, found->cap, sizeof(*found->of));
    found_init(found, found->alloc);
}

static struct tv_str found_at(const struct found *found, size_t i)
{
    return (struct tv_str){tv_buffer_view(&found->text).at + found->of[i].at, found->of[i].len};
}

/* Whether a line can have the name: no character in it ends the line, is obeyed by a terminal, or
 * cannot be seen. Bytes that are not UTF-8 are left out, too: where a terminal has another
 * encoding, 9B alone begins a control sequence. */
static bool is_printable(struct tv_str name)
{
    for (size_t at = 0; at < name.len;) {
        uint32_t character = tv_utf8_next(name, &at);
        if (character == TV_UTF8_REPLACEMENT || tv_utf8_needs_escape(character))
            return false;
    }
    return true;
}

/* The place of a name among those found, which are in order. */
static size_t place_in(const struct found *found, struct tv_str name)
{
    size_t from = 0;
    size_t to = found->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (tv_str_compare(found_at(found, middle), name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Adds a name at its place in the order, unless it is there already, cannot be printed, or there
 * are enough. */
static void add_name(struct found *found, struct tv_str name)
{
    size_t place = place_in(found, name);
    size_t at = found->text.len;
    bool is_there = place < found->count && tv_str_equal(found_at(found, place), name);
    if (is_there || found->count == NAME_LIMIT || found->code != TV_OK || !is_printable(name))
        return;
    found->code = tv_buffer_append(&found->text, name.at, name.len, NULL);
    if (found->code == TV_OK)
        found->code = tv_alloc_grow(found->alloc, &found->of, &found->cap, found->count + 1,
                                    sizeof(*found->of), NULL);
    if (found->code != TV_OK)
        return;
    memmove(&found->of[place + 1], &found->of[place], (found->count - place) * sizeof(*found->of));
    found->of[place] = (struct piece){at, name.len};
    found->count++;
}

/* A word of the shell may have a beginning that is not part of the name (`before`), which is
 * repeated. */
static void print(const struct tv_names_wanted *wanted, const struct found *found)
{
    for (size_t i = 0; i < found->count; i++) {
        struct tv_str name = found_at(found, i);
        (void)fprintf(wanted->cli->out, "%.*s%.*s\n", (int)wanted->before.len, wanted->before.at,
                      (int)name.len, name.at);
    }
}

/* A path as it is typed, where a shell has left "~/". */
static bool take_path(char path[TV_PATH_CAP], const char *typed)
{
    const char *home = getenv("HOME");
    const bool is_home = strncmp(typed, "~/", 2) == 0 && home;
    int len = snprintf(path, TV_PATH_CAP, "%s%s", is_home ? home : "", typed + (is_home ? 1 : 0));
    return len > 0 && (size_t)len < TV_PATH_CAP;
}

/* Opens the saved index with the names that the mapping on the line gives, or one that is found
 * without an option. */
static bool find_renamed(const struct tv_names_wanted *wanted, const char *path,
                         struct tv_index *index)
{
    char mapping[TV_PATH_CAP];
    struct tv_index_cache cached;
    struct tv_mapping_files files;
    struct tv_cli own = *wanted->cli;
    own.shared = wanted->shared;
    const char **typed = own.shared.mapping ? &own.shared.mapping : &own.shared.mappings;
    if (*typed && !take_path(mapping, *typed))
        return false;
    if (*typed)
        *typed = mapping;
    tv_mapping_files_init(&files, own.alloc);
    const bool is_found = tv_mapping_files_open(&files, &own) == TV_STATUS_FINE &&
                          tv_index_cache_find(&cached, &own, path, index);
    tv_mapping_files_release(&files);
    return is_found;
}

/* Opens the saved index of the file on the line. */
static bool open_index(const struct tv_names_wanted *wanted, struct tv_index *index)
{
    char path[TV_PATH_CAP];
    tv_index_init(index);
    return wanted->file && take_path(path, wanted->file) && find_renamed(wanted, path, index);
}

/* Threads have their names whatever those of methods are. */
static bool open_any_index(const struct tv_names_wanted *wanted, struct tv_index *index)
{
    char path[TV_PATH_CAP];
    struct tv_index_cache cached;
    return open_index(wanted, index) || (wanted->file && take_path(path, wanted->file) &&
                                         tv_index_cache_find(&cached, wanted->cli, path, index));
}

/* The name of a thread, or of the process that it is in; empty: there is none. */
static struct tv_str name_of(const struct tv_index *index, uint32_t thread_ix, bool is_process)
{
    uint32_t process = index->threads[thread_ix].process;
    if (!is_process)
        return tv_index_thread_name(index, thread_ix);
    return process == TV_NONE ? (struct tv_str){NULL, 0} : tv_index_process_name(index, process);
}

/* Prints the names of what has records. */
static void complete_threads(const struct tv_names_wanted *wanted, bool is_process)
{
    struct tv_index index;
    struct found found;
    found_init(&found, wanted->cli->alloc);
    if (open_any_index(wanted, &index)) {
        for (uint32_t i = 0; i < index.thread_count; i++) {
            struct tv_str name = name_of(&index, i, is_process);
            if (index.threads[i].records && name.len && tv_str_starts_with(name, wanted->typed))
                add_name(&found, name);
        }
    }
    print(wanted, &found);
    found_release(&found);
    tv_index_release(&index);
}

void tv_complete_threads(const struct tv_names_wanted *wanted)
{
    complete_threads(wanted, false);
}

void tv_complete_processes(const struct tv_names_wanted *wanted)
{
    complete_threads(wanted, true);
}

/* Where a name that is completed begins. */
enum beginning { AT_PACKAGE, AT_CLASS, AT_METHOD, BEGINNING_COUNT };

/* Joins the name of a method from one of its beginnings on. False: it has none, or a long one. */
static bool join(const struct tv_index *index, uint32_t method_ix, enum beginning beginning,
                 struct tv_buffer *out)
{
    struct tv_str class = tv_method_class(index, method_ix);
    struct tv_str name = tv_method_name(index, method_ix);
    size_t from = 0;
    if (class.len + name.len > LONGEST_NAME)
        return false;
    for (size_t i = 0; beginning == AT_CLASS && i < class.len; i++)
        from = class.at[i] == '.' ? i + 1 : from;
    out->len = 0;
    if (beginning != AT_METHOD && class.len &&
        (tv_buffer_append(out, class.at + from, class.len - from, NULL) != TV_OK ||
         tv_buffer_append(out, ".", 1, NULL) != TV_OK))
        return false;
    return name.len && tv_buffer_append(out, name.at, name.len, NULL) == TV_OK;
}

/* How much of a name is one step beyond what is typed: up to the next point. Of packages, only what
 * ends in a point and has a further point behind it, which is before the method. 0: nothing. */
static size_t step_len(struct tv_str name, size_t typed_len, enum tv_names_kind kind)
{
    size_t end = typed_len;
    while (end < name.len && name.at[end] != '.')
        end++;
    if (kind == TV_NAMES_OF_METHODS)
        return end < name.len ? end + 1 : end;
    struct tv_str rest = {name.at + end, name.len - end};
    return rest.len && tv_str_find((struct tv_str){rest.at + 1, rest.len - 1}, TV_STR("."),
                                   TV_CASE_EXACT) != SIZE_MAX
               ? end + 1
               : 0;
}

/* Finds the next steps of all names that begin as typed, in place of what was found before. */
static void find(const struct tv_index *index, struct tv_str typed, enum beginning beginning,
                 enum tv_names_kind kind, struct found *found)
{
    struct tv_buffer name;
    tv_buffer_init(&name, found->alloc);
    found->count = 0;
    found->text.len = 0;
    for (uint32_t rank = 0; rank < index->info->ranked_count; rank++) {
        if (!join(index, index->method_of_rank[rank], beginning, &name))
            continue;
        struct tv_str text = tv_buffer_view(&name);
        size_t len = tv_str_starts_with(text, typed) ? step_len(text, typed.len, kind) : 0;
        if (len)
            add_name(found, (struct tv_str){text.at, len});
    }
    tv_buffer_release(&name);
}

/* Finds the names that begin as typed, and goes on while all of them begin with one step. Below the
 * last package there is none, so that one is the answer. */
static void find_steps(const struct tv_names_wanted *wanted, const struct tv_index *index,
                       enum beginning beginning, enum tv_names_kind kind, struct found *found)
{
    struct tv_buffer typed;
    tv_buffer_init(&typed, found->alloc);
    bool goes_on = tv_buffer_append(&typed, wanted->typed.at, wanted->typed.len, NULL) == TV_OK;
    while (goes_on) {
        find(index, tv_buffer_view(&typed), beginning, kind, found);
        if (!found->count && typed.len > wanted->typed.len)
            add_name(found, tv_buffer_view(&typed));
        struct tv_str only = found->count == 1 ? found_at(found, 0) : (struct tv_str){NULL, 0};
        goes_on = only.len > typed.len && only.at[only.len - 1] == '.';
        typed.len = goes_on ? 0 : typed.len;
        goes_on = goes_on && tv_buffer_append(&typed, only.at, only.len, NULL) == TV_OK;
    }
    tv_buffer_release(&typed);
}

/* A name may be typed from its package, from its class or from the method on: the first of these
 * ways that finds anything is the answer. */
void tv_complete_methods(const struct tv_names_wanted *wanted, enum tv_names_kind kind)
{
    struct tv_index index;
    struct found found;
    found_init(&found, wanted->cli->alloc);
    if (open_index(wanted, &index)) {
        unsigned beginnings = kind == TV_NAMES_OF_METHODS ? BEGINNING_COUNT : AT_PACKAGE + 1;
        for (unsigned i = 0; i < beginnings && !found.count; i++)
            find_steps(wanted, &index, (enum beginning)i, kind, &found);
    }
    print(wanted, &found);
    found_release(&found);
    tv_index_release(&index);
}
