/*
 * The length of an export, before it is written; see export/name_bytes.h.
 *
 * A hostile trace may have a method with a very long name and millions of calls of it. The names of
 * a format that repeats them with each call are therefore added up from the calls of nodes; the sum
 * stays at UINT64_MAX where it would overflow.
 */
#include "export/name_bytes.h"

/* The sum stays where it would not fit. */
static uint64_t add_product(uint64_t sum, uint64_t count, uint64_t len)
{
    return len && count > (UINT64_MAX - sum) / len ? UINT64_MAX : sum + count * len;
}

static uint64_t name_len(const struct tv_export_context *context, const struct tv_export *format,
                         uint32_t thread_ix, uint32_t method_ix)
{
    const struct tv_export_method *method = &context->names.methods[method_ix];
    uint64_t len = (uint64_t)method->class_name.len + method->name.len + method->signature.len;
    return len + (format->has_tables ? context->names.threads[thread_ix].len : 0);
}

/* An upper bound of what names take in the file, from the sums alone: one addition per node and not
 * one per call. Nothing is written yet, so the caller can refuse or ask before gigabytes are. */
uint64_t tv_export_name_bytes(const struct tv_export_context *context,
                              const struct tv_export *format)
{
    const struct tv_sums *sums = &context->stacks.sums;
    uint64_t bytes = 0;
    if (!format->call_names || (format->has_tables && context->opts->table != TV_EXPORT_CALLS))
        return 0;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_thread(context, i);
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; thread_ix != TV_NONE && node < nodes.end; node++) {
            if (tv_sums_is_touched(sums, node))
                bytes = add_product(bytes, tv_sums_calls(sums, node) * format->call_names,
                                    name_len(context, format, thread_ix, sums->method[node]));
        }
    }
    return bytes;
}
