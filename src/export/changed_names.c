/*
 * Names that a format cannot hold; see export/changed_names.h.
 *
 * They are counted here and not where they are written: one format writes a name in several tables,
 * another one each time that a thread needs it, and the number is of names and not of places.
 */
#include "export/changed_names.h"

#include "base/error.h"
#include "base/text/utf8.h"

/* What U+FFFD takes in UTF-8. That character may stand in a name, and is held then. */
#define REPLACEMENT_LEN 3u

static bool is_held(struct tv_str text, enum tv_held_names held)
{
    for (size_t at = 0; at < text.len;) {
        const size_t start = at;
        const uint32_t character = tv_utf8_next(text, &at);
        const bool is_replaced =
            character == TV_UTF8_REPLACEMENT &&
            (at - start != REPLACEMENT_LEN || (unsigned char)text.at[start] != 0xef);
        if (is_replaced || (!character && held == TV_HELD_UTF8_WITHOUT_NUL))
            return false;
    }
    return true;
}

/* Of the tables only that of methods has a column of source files. */
static bool has_files(const struct tv_export *format, enum tv_export_table table)
{
    return format->names_files && (!format->has_tables || table == TV_EXPORT_METHODS);
}

static bool is_method_held(const struct tv_export_method *method, const struct tv_export *format,
                           enum tv_export_table table)
{
    const enum tv_held_names held = format->held_names;
    return is_held(method->class_name, held) && is_held(method->name, held) &&
           is_held(method->signature, held) &&
           (!has_files(format, table) || is_held(method->file, held));
}

/* Nodes are many for one method, so what is looked at is marked. */
static uint64_t count_methods(const struct tv_export_context *context,
                              const struct tv_export *format, uint8_t *is_seen)
{
    const struct tv_sums *sums = &context->stacks.sums;
    uint64_t count = 0;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        const struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            const uint32_t method = sums->method[node];
            if (is_seen[method] || !tv_sums_is_touched(sums, node))
                continue;
            is_seen[method] = 1;
            count += !is_method_held(&context->names.methods[method], format, context->opts->table);
        }
    }
    return count;
}

static uint64_t count_threads(const struct tv_export_context *context, enum tv_held_names held)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        const uint32_t thread_ix = tv_export_context_ordered(context, i);
        count += thread_ix != TV_NONE && !is_held(context->names.threads[thread_ix], held);
    }
    return count;
}

/* All processes count, also those without a thread that is shown: they are few. */
static uint64_t count_processes(const struct tv_export_context *context,
                                const struct tv_export *format)
{
    uint64_t count = 0;
    for (size_t i = 0; format->names_processes && i < context->names.process_count; i++)
        count += !is_held(context->names.processes[i], format->held_names);
    return count;
}

enum tv_code tv_export_count_changed_names(struct tv_export_context *context,
                                           const struct tv_export *format, struct tv_error *err)
{
    const uint32_t method_count = context->index->method_count;
    const enum tv_export_table table = context->opts->table;
    uint64_t *changed = &context->result->changes[TV_EXPORT_NAMES_CHANGED];
    uint8_t *is_seen = NULL;
    if (format->held_names == TV_HELD_AS_COUNTED)
        return TV_OK;
    if (!format->has_tables || table != TV_EXPORT_METHODS)
        *changed += count_threads(context, format->held_names) + count_processes(context, format);
    if (format->has_tables && table == TV_EXPORT_THREADS)
        return TV_OK;
    TV_TRY(tv_alloc_new(context->alloc, &is_seen, method_count, 1, err));
    *changed += count_methods(context, format, is_seen);
    tv_alloc_release(context->alloc, &is_seen, method_count, 1);
    return TV_OK;
}
