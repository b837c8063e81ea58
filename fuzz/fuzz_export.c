/*
 * What any trace that can be indexed gives in every format of export: each ends well or says why
 * not, within bounded memory, with names and without. A part, levels and redaction are chosen by
 * the input's last bytes. What is written as a trace is a trace again, with as many calls.
 */
#include "all_builders.h"
#include "check.h"

#include "base/memory/buffer.h"
#include "export/export.h"
#include "export/preview.h"
#include "export/tables/database.h"

#define EXPORT_MEMORY ((size_t)1 << 27)

static enum tv_code take_bytes(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    uint8_t *sum = ctx;
    (void)err;
    for (size_t i = 0; i < len; i++) /* so that a sanitizer sees what is not there */
        *sum ^= ((const uint8_t *)bytes)[i];
    return TV_OK;
}

static enum tv_code take_sql(void *ctx, const char *sql, struct tv_error *err)
{
    (void)ctx, (void)err;
    FUZZ_CHECK(sql[0]);
    return TV_OK;
}

static enum tv_code take_rows(void *ctx, const struct tv_table *table, const struct tv_rows *rows,
                              struct tv_error *err)
{
    (void)ctx, (void)table, (void)rows, (void)err;
    return TV_OK;
}

static enum tv_code take_end(void *ctx, struct tv_error *err)
{
    (void)ctx, (void)err;
    return TV_OK;
}

static enum tv_code take_write(void *ctx, struct tv_sink sink, struct tv_error *err)
{
    (void)ctx, (void)sink, (void)err;
    return TV_OK;
}

static const struct tv_database no_database = {.run = take_sql,
                                               .begin_rows = take_sql,
                                               .add_rows = take_rows,
                                               .end_rows = take_end,
                                               .write = take_write};

/* Bytes of the input's end, as choices. */
struct choices {
    const uint8_t *bytes;
    size_t left;
};

static uint8_t choose(struct choices *choices)
{
    return choices->left ? choices->bytes[--choices->left] : 0;
}

static void choose_part(struct choices *choices, const struct tv_index *index,
                        struct tv_export_opts *opts)
{
    static const struct tv_redact_opts redact = {.keep = {"com.example,java/", 17}};
    struct tv_error err;
    uint8_t what = choose(choices);
    uint64_t axis_ns = tv_axis_len_ns(index);
    tv_scope_init(&opts->scope, index);
    opts->redact = what & 1 ? &redact : NULL;
    opts->levels = what & 2 ? 1u + what / 16u : 0;
    opts->table = (enum tv_export_table)(what >> 2 & 3);
    if (what & 16) {
        uint64_t from = tv_mul_div(axis_ns, choose(choices), 256);
        uint64_t len = tv_mul_div(axis_ns, choose(choices), 256) + 1;
        if (tv_scope_take_range(&opts->scope, index, from, from + len, &err) != TV_OK)
            tv_scope_init(&opts->scope, index);
    }
}

static void check_back(const struct tv_export *format, const struct tv_index *index,
                       const struct tv_export_opts *opts, const struct tv_buffer *written)
{
    struct fuzz_input input = {.trace = tv_buffer_view(written)};
    struct tv_index back;
    FUZZ_CHECK(fuzz_build(tv_alloc_libc(), input, NULL, &back) == TV_OK);
    if (!opts->scope.selection.has_range && !opts->levels) {
        FUZZ_CHECK(back.call_count == index->call_count);
        for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++)
            FUZZ_CHECK(!index->call_count ||
                       back.info->has_clock[clock] == index->info->has_clock[clock]);
    }
    FUZZ_CHECK(back.info->findings.of[TV_FINDING_EXIT_NOT_ON_STACK].count ==
                   index->info->findings.of[TV_FINDING_EXIT_NOT_ON_STACK].count &&
               !back.info->findings.of[TV_FINDING_MISSING_RECORDS].count);
    FUZZ_CHECK(format->name[0]);
    tv_index_release(&back);
}

static void export_as(const struct tv_export *format, const struct tv_index *index,
                      const struct tv_export_opts *opts, const struct tv_alloc *alloc)
{
    struct tv_export_result result;
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer written;
    uint8_t sum = 0;
    const bool is_trace = format == tv_export_of_name(TV_STR("trace")) ||
                          format == tv_export_of_name(TV_STR("packets"));
    tv_buffer_init(&written, tv_alloc_libc());
    struct tv_sink sink =
        is_trace ? tv_buffer_sink(&written) : (struct tv_sink){.write = take_bytes, .ctx = &sum};
    enum tv_code code = tv_export_run(format, index, opts, alloc, NULL, sink, &result, &err);
    FUZZ_CHECK(code == err.code);
    if (code == TV_OK && is_trace)
        check_back(format, index, opts, &written);
    tv_buffer_release(&written);
}

static void preview(const struct tv_index *index, const struct tv_export_opts *opts,
                    const struct tv_alloc *alloc)
{
    struct tv_preview preview;
    struct tv_error err = {.code = TV_OK};
    tv_preview_init(&preview, alloc);
    if (tv_preview_make(&preview, index, opts, NULL, &err) == TV_OK)
        FUZZ_CHECK(preview.methods_kept + preview.methods_replaced <= index->method_count);
    tv_preview_release(&preview);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_memory memory;
    struct tv_index index;
    struct fuzz_input input = {.trace = {(const char *)bytes, len}};
    struct choices choices = {.bytes = bytes, .left = len};
    struct tv_export_opts opts = {.file = TV_STR("fuzz.trace"), .database = &no_database};
    fuzz_memory_init(&memory, len);
    memory.most += EXPORT_MEMORY;
    if (fuzz_build(tv_alloc_libc(), input, NULL, &index) == TV_OK) {
        choose_part(&choices, &index, &opts);
        for (size_t i = 0; tv_exports[i]; i++)
            export_as(tv_exports[i], &index, &opts, &memory.alloc);
        if (opts.redact)
            preview(&index, &opts, &memory.alloc);
    }
    tv_index_release(&index);
    fuzz_memory_check_released(&memory);
    return 0;
}
