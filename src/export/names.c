/*
 * Names as exports write them; see export/names.h.
 *
 * All names of the index are made once, before the format writes. They are views of the index's
 * text where nothing changes, and texts of the arena where a method is named by its id or a hash
 * replaces the name. Properties that could tell who recorded the trace are left out where names are
 * redacted.
 */
#include "export/names.h"

#include <stdio.h>

#include "analysis/insights/insights.h"
#include "analysis/selection/names.h"
#include "base/error.h"
#include "base/names/source_names.h"

void tv_export_names_init(struct tv_export_names *names, const struct tv_alloc *alloc)
{
    *names = (struct tv_export_names){.alloc = alloc};
    tv_arena_init(&names->texts, alloc);
    tv_redactor_init(&names->redactor, alloc, &(struct tv_redact_opts){.keep = {NULL, 0}});
}

void tv_export_names_release(struct tv_export_names *names)
{
    tv_alloc_release(names->alloc, &names->methods, names->method_count, sizeof(*names->methods));
    tv_alloc_release(names->alloc, &names->threads, names->thread_count, sizeof(*names->threads));
    tv_alloc_release(names->alloc, &names->processes, names->process_count,
                     sizeof(*names->processes));
    tv_alloc_release(names->alloc, &names->properties, names->property_room,
                     sizeof(*names->properties));
    tv_redactor_release(&names->redactor);
    tv_arena_release(&names->texts);
}

/* Names a method that the trace does not describe by its id. */
static enum tv_code name_by_id(struct tv_export_names *names, uint64_t id, struct tv_str *name,
                               struct tv_error *err)
{
    char text[24];
    size_t len = (size_t)snprintf(text, sizeof(text), "(0x%llx)", (unsigned long long)id);
    return tv_arena_keep(&names->texts, (struct tv_str){text, len}, name, err);
}

/* A method that nothing describes has the id as its name, and so has one whose parts are all empty.
 */
static enum tv_code name_method(struct tv_export_names *names, const struct tv_index *index,
                                uint32_t method_ix, struct tv_error *err)
{
    struct tv_export_method *method = &names->methods[method_ix];
    *method = (struct tv_export_method){.class_name = tv_method_class(index, method_ix),
                                        .name = tv_method_name(index, method_ix),
                                        .signature = tv_method_signature(index, method_ix),
                                        .file = tv_method_file(index, method_ix),
                                        .line = index->methods[method_ix].line};
    if (!index->methods[method_ix].is_known) {
        method->class_name = method->signature = TV_STR("");
    } else if (method->class_name.len || method->name.len || method->signature.len) {
        return names->is_redacted ? tv_redact_method(&names->redactor, method, err) : TV_OK;
    }
    if (names->is_redacted)
        method->file = TV_STR("");
    return name_by_id(names, index->methods[method_ix].id, &method->name, err);
}

static enum tv_code name_thread(struct tv_export_names *names, const struct tv_index *index,
                                uint32_t thread_ix, struct tv_error *err)
{
    struct tv_str *name = &names->threads[thread_ix];
    *name = tv_index_thread_name(index, thread_ix);
    return names->is_redacted
               ? tv_redact_thread(&names->redactor, index->threads[thread_ix].id, name, err)
               : TV_OK;
}

static enum tv_code name_process(struct tv_export_names *names, const struct tv_index *index,
                                 uint32_t process_ix, struct tv_error *err)
{
    struct tv_str *name = &names->processes[process_ix];
    *name = tv_index_process_name(index, process_ix);
    return names->is_redacted ? tv_redact_process(&names->redactor, process_ix + 1, name, err)
                              : TV_OK;
}

/* Properties are few and short; those that may hold a name go where names are redacted
 * (tv_redact_keeps_property). Names of a mapping are said to be such, with hashes in them, too:
 * whoever reads the file may have another mapping. */
static void take_properties(struct tv_export_names *names, const struct tv_index *index)
{
    for (uint32_t i = 0; i < index->info->property_count; i++) {
        const struct tv_index_property *of_index = &index->properties[i];
        struct tv_export_property property = {
            .key = tv_index_text(index, of_index->key_off, of_index->key_len),
            .value = tv_index_text(index, of_index->value_off, of_index->value_len)};
        const bool is_spelling = tv_str_equal(property.key, TV_SOURCE_NAMES_KEY) &&
                                 tv_str_equal(property.value, TV_SOURCE_NAMES);
        if (is_spelling || !names->is_redacted ||
            tv_redact_keeps_property(property.key, property.value))
            names->properties[names->property_count++] = property;
    }
}

/* Makes room for all names of the index. */
static enum tv_code make_room(struct tv_export_names *names, const struct tv_index *index,
                              struct tv_error *err)
{
    const struct tv_alloc *alloc = names->alloc;
    const uint32_t property_count = index->info->property_count;
    TV_TRY(tv_alloc_new(alloc, &names->methods, index->method_count, sizeof(*names->methods), err));
    names->method_count = index->method_count;
    TV_TRY(tv_alloc_new(alloc, &names->threads, index->thread_count, sizeof(*names->threads), err));
    names->thread_count = index->thread_count;
    TV_TRY(tv_alloc_new(alloc, &names->processes, index->process_count, sizeof(*names->processes),
                        err));
    names->process_count = index->process_count;
    TV_TRY(
        tv_alloc_new(alloc, &names->properties, property_count, sizeof(*names->properties), err));
    names->property_room = property_count;
    return TV_OK;
}

/* 1 where there is no such thread, or its id is 0. */
static uint64_t main_thread_id(const struct tv_index *index)
{
    const uint32_t main_thread = tv_main_thread(index);
    const uint64_t id = main_thread == TV_NONE ? 0 : index->threads[main_thread].id;
    return id ? id : 1;
}

/* All names of the trace are made once, before the first byte is written: a format may need a name
 * in several places, and a redactor must give it the same hash each time. */
enum tv_code tv_export_names_make(struct tv_export_names *names, const struct tv_index *index,
                                  struct tv_str file, const struct tv_redact_opts *redact,
                                  struct tv_error *err)
{
    names->is_redacted = redact != NULL;
    names->file = redact ? TV_STR("trace") : file;
    names->other_pid = main_thread_id(index);
    if (redact)
        tv_redactor_init(&names->redactor, names->alloc, redact);
    TV_TRY(make_room(names, index, err));
    for (uint32_t i = 0; i < index->method_count; i++)
        TV_TRY(name_method(names, index, i, err));
    for (uint32_t i = 0; i < index->thread_count; i++)
        TV_TRY(name_thread(names, index, i, err));
    for (uint32_t i = 0; i < index->process_count; i++)
        TV_TRY(name_process(names, index, i, err));
    take_properties(names, index);
    return TV_OK;
}

uint64_t tv_export_pid(const struct tv_export_names *names, const struct tv_index *index,
                       uint32_t thread_ix)
{
    uint32_t process = index->threads[thread_ix].process;
    if (names->is_redacted)
        return process == TV_NONE ? 1 : process + UINT64_C(1);
    return process == TV_NONE ? index->info->pid : index->processes[process].id;
}

uint64_t tv_export_shown_pid(const struct tv_export_names *names, const struct tv_index *index,
                             uint32_t thread_ix)
{
    const uint64_t pid = tv_export_pid(names, index, thread_ix);
    return pid ? pid : names->other_pid;
}

struct tv_str tv_export_process_name(const struct tv_export_names *names,
                                     const struct tv_index *index, uint32_t thread_ix)
{
    const uint32_t process = index->threads[thread_ix].process;
    const bool is_named = process != TV_NONE && names->processes[process].len;
    return is_named ? names->processes[process] : names->file;
}

/* A thread without a name is called by its number, so that two of them can be told apart. */
enum tv_code tv_export_thread_label(const struct tv_export_names *names,
                                    const struct tv_index *index, uint32_t thread_ix,
                                    struct tv_buffer *out, struct tv_error *err)
{
    struct tv_str name = names->threads[thread_ix];
    char text[24];
    out->len = 0;
    if (!name.len) {
        (void)snprintf(text, sizeof(text), "thread %u", index->threads[thread_ix].id);
        name = tv_str_from(text);
    }
    return tv_buffer_append(out, name.at, name.len, err);
}

/* Adds a part behind its separator; an empty part is left out together with it. */
static enum tv_code add_part(struct tv_buffer *out, const char *separator, struct tv_str part,
                             struct tv_error *err)
{
    if (!part.len)
        return TV_OK;
    if (out->len)
        TV_TRY(tv_buffer_append(out, separator, 1, err));
    return tv_buffer_append(out, part.at, part.len, err);
}

enum tv_code tv_export_short_name(const struct tv_export_method *method, struct tv_buffer *out,
                                  struct tv_error *err)
{
    out->len = 0;
    TV_TRY(add_part(out, ".", method->class_name, err));
    return add_part(out, ".", method->name, err);
}

enum tv_code tv_export_whole_name(const struct tv_export_method *method, struct tv_buffer *out,
                                  struct tv_error *err)
{
    TV_TRY(tv_export_short_name(method, out, err));
    return add_part(out, " ", method->signature, err);
}
