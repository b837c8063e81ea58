/*
 * The preview of redaction: which names stay, which get hashes, and what is left out, package by
 * package with an example; see cli/answers/preview_print.h. The names of the examples are those
 * that an export with the same options would have (export/preview.h).
 *
 * The preview is for the owner of a trace, before it leaves: packages that keep their names come
 * first, since those are what may give something away.
 */
#include "cli/answers/preview_print.h"

#include "analysis/selection/names.h"
#include "base/memory/buffer.h"
#include "cli/terminal/table.h"
#include "cli/wording.h"
#include "export/preview.h"
#include "index/memory.h"

/* Prints what becomes of one package, with an example. */
static void add_package(struct tv_text_table *table, const struct tv_asking *asking,
                        const struct tv_preview *preview, const struct tv_preview_package *package,
                        struct tv_buffer *name, struct tv_error *err)
{
    tv_table_count(table, package->methods);
    tv_table_name_by_end(table, package->name.len ? package->name : TV_STR("(none)"));
    if (tv_method_text(asking->index, package->example, name, err) == TV_OK)
        tv_text_add_name(&table->cells, tv_buffer_view(name));
    if (!package->is_kept) {
        tv_text_add(&table->cells, " -> ");
        if (tv_export_whole_name(&preview->names.methods[package->example], name, err) == TV_OK)
            tv_text_add_name(&table->cells, tv_buffer_view(name));
    }
    tv_table_end_cell(table);
}

/* Kept and replaced packages are two tables, because the first is what may leak. The first failure
 * ends the table and is told by the caller. */
static enum tv_code add_packages(const struct tv_asking *asking, const struct tv_preview *preview,
                                 bool is_kept, struct tv_text *out, struct tv_error *err)
{
    struct tv_text_table table;
    struct tv_buffer name;
    tv_buffer_init(&name, asking->cli->alloc);
    tv_table_init(&table, asking->cli);
    tv_table_column(&table, "Methods", TV_ALIGN_RIGHT);
    tv_table_column(&table, "Package", TV_ALIGN_LEFT);
    tv_table_share(&table);
    tv_table_column(&table, "Example", TV_ALIGN_LEFT);
    for (size_t i = 0; i < preview->package_count && err->code == TV_OK; i++) {
        if (preview->packages[i].is_kept == is_kept)
            add_package(&table, asking, preview, &preview->packages[i], &name, err);
    }
    enum tv_code code = err->code == TV_OK ? tv_table_write(&table, out, err) : err->code;
    tv_table_release(&table);
    tv_buffer_release(&name);
    return code;
}

/* What is left out altogether has no table: it is only counted. */
static enum tv_code add_preview(const struct tv_asking *asking, const struct tv_preview *preview,
                                struct tv_text *out, struct tv_error *err)
{
    tv_text_add(out, "Keep their names: %u methods\n", preview->methods_kept);
    if (preview->methods_kept)
        TV_TRY(add_packages(asking, preview, true, out, err));
    tv_text_add(out, "\nGet hashes: %u methods\n", preview->methods_replaced);
    if (preview->methods_replaced)
        TV_TRY(add_packages(asking, preview, false, out, err));
    tv_text_add(out,
                "\nLeft out: names of threads (%u of %u) and processes (%u), source files (%u "
                "methods), properties (%u of %u)\n",
                preview->threads_replaced, preview->threads_kept + preview->threads_replaced,
                preview->processes_replaced, preview->files_left_out, preview->properties_left_out,
                preview->properties_left_out + preview->properties_kept);
    return out->code;
}

/* Prints a preview, within the memory of an answer: a preview makes all names of the trace twice.
 */
enum tv_code tv_preview_print(const struct tv_asking *asking, const struct tv_export_opts *opts,
                              struct tv_error *err)
{
    struct tv_preview preview;
    struct tv_text out;
    tv_preview_init(&preview, asking->cli->alloc);
    tv_text_init(&out, asking->cli->alloc);
    enum tv_code code = tv_preview_make(&preview, asking->index, opts, asking->cli->pool, err);
    if (code == TV_OK)
        code = add_preview(asking, &preview, &out, err);
    code = tv_memory_tell(&asking->limit, code, asking->index,
                          "the preview takes too much memory: take a shorter part", err);
    if (code == TV_OK)
        tv_cli_answer_text(asking->cli, tv_text_view(&out));
    tv_text_release(&out);
    tv_preview_release(&preview);
    return code;
}
