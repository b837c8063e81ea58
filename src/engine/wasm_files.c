/*
 * The exports that only the module has which makes files of a trace; see engine/wasm.h.
 *
 * Each is a thin step: texts from the host's memory become a struct tv_str, and pieces of a file go
 * back to the host as they are made, so no whole file stands in the module's memory. A host that
 * refuses a piece cancels the export.
 */
#include "engine/host.h"
#include "engine/wasm.h"

static enum tv_code give(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx;
    if (!len || tv_host_take(bytes, len))
        return TV_OK;
    return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "the export was cancelled");
}

static const struct tv_sink host = {.write = give};

/* Makes what stands in the room for a file the mapping of the next trace; not 0: failed. */
TV_EXPORT(mapping) int32_t take_mapping(size_t len, uint32_t is_forced)
{
    return (int32_t)tv_engine_take_mapping(tv_wasm_engine(), len, is_forced != 0, tv_wasm_error());
}

/* Makes an export. Arguments and result are those of `ask`; pieces of the file go to the host. */
TV_EXPORT(export) int32_t export_file(const char *query, size_t query_len)
{
    return tv_wasm_status(
        tv_engine_export(tv_wasm_engine(), tv_wasm_text(query, query_len), host, tv_wasm_error()));
}

/* Makes the part of the trace that a page will hold. */
TV_EXPORT(report_cut) int32_t report_cut(const char *form, size_t form_len)
{
    return tv_wasm_status(tv_engine_report_cut(tv_wasm_engine(), tv_wasm_text(form, form_len), host,
                                               tv_wasm_error()));
}

/* Room for template, engine and trace; NULL: refused. */
TV_EXPORT(report_reserve) uint8_t *report_reserve(size_t len)
{
    uint8_t *at = NULL;
    return tv_engine_report_reserve(tv_wasm_engine(), len, &at, tv_wasm_error()) == TV_OK ? at
                                                                                          : NULL;
}

/* Makes the page itself. */
TV_EXPORT(report_write)
int32_t report_write(const char *form, size_t form_len, size_t template_len, size_t engine_len,
                     size_t trace_len)
{
    const struct tv_engine_pieces pieces = {template_len, engine_len, trace_len};
    return tv_wasm_status(tv_engine_report_write(tv_wasm_engine(), tv_wasm_text(form, form_len),
                                                 &pieces, host, tv_wasm_error()));
}
