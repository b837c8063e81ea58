/*
 * What redaction will do; see export/preview.h.
 *
 * The names are made as the export makes them, and compared with those of the index: a method whose
 * class and name are still the same is kept. Packages are counted in two maps, because the same
 * package may be kept for some classes and replaced for others.
 */
#include "export/preview.h"

#include <string.h>

#include "analysis/selection/names.h"
#include "base/error.h"
#include "base/memory/sort.h"
#include "base/memory/text_map.h"
#include "base/names/java_names.h"

struct previewing {
    struct tv_preview *preview;
    const struct tv_index *index;
    const struct tv_export_opts *opts;
    struct tv_stacks stacks;
    uint8_t *is_met;                  /* one per method: it has calls in the part */
    struct tv_text_map package_of[2]; /* by name: those that are replaced, and those kept */
};

void tv_preview_init(struct tv_preview *preview, const struct tv_alloc *alloc)
{
    *preview = (struct tv_preview){.alloc = alloc};
    tv_export_names_init(&preview->names, alloc);
}

void tv_preview_release(struct tv_preview *preview)
{
    tv_export_names_release(&preview->names);
    tv_alloc_release(preview->alloc, &preview->packages, preview->package_cap,
                     sizeof(*preview->packages));
    preview->package_count = preview->package_cap = 0;
}

/* The package of a class; all of a name without a point is the class. */
static struct tv_str package_of(struct tv_str class_name)
{
    class_name.len = tv_java_class_named_len(class_name);
    while (class_name.len && class_name.at[class_name.len - 1] != '.')
        class_name.len--;
    class_name.len -= class_name.len > 0;
    return class_name;
}

/* Kept and replaced classes of one package are two rows, because a package may be kept in part; the
 * first method that is met is the example. */
static enum tv_code count_method(struct previewing *previewing, uint32_t method_ix,
                                 struct tv_error *err)
{
    struct tv_preview *preview = previewing->preview;
    struct tv_str class_name = tv_method_class(previewing->index, method_ix);
    struct tv_str package = package_of(class_name);
    const struct tv_export_method *made = &preview->names.methods[method_ix];
    /* One that nothing describes is called by its id, (0x8), which is written as it is. */
    bool is_kept = !previewing->index->methods[method_ix].is_known ||
                   (class_name.len > 0 && tv_str_equal(class_name, made->class_name) &&
                    tv_str_equal(tv_method_name(previewing->index, method_ix), made->name));
    uint32_t *place;
    preview->methods_kept += is_kept;
    preview->methods_replaced += !is_kept;
    preview->files_left_out += tv_method_file(previewing->index, method_ix).len > 0;
    TV_TRY(tv_text_map_slot(&previewing->package_of[is_kept], package,
                            (uint32_t)preview->package_count, &place, err));
    if (*place == preview->package_count) {
        TV_TRY(tv_alloc_grow(preview->alloc, &preview->packages, &preview->package_cap,
                             preview->package_count + 1, sizeof(*preview->packages), err));
        preview->packages[preview->package_count++] =
            (struct tv_preview_package){.name = package, .is_kept = is_kept, .example = method_ix};
    }
    preview->packages[*place].methods++;
    return TV_OK;
}

/* Packages that keep their names come first: they are what the owner has to look at. */
static int compare_packages(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_preview_package *packages = ctx;
    const struct tv_preview_package *one = &packages[a], *other = &packages[b];
    if (one->is_kept != other->is_kept)
        return one->is_kept ? -1 : 1;
    if (one->methods != other->methods)
        return one->methods > other->methods ? -1 : 1;
    return tv_str_compare(one->name, other->name);
}

/* Marks what has calls in the part, and counts its threads. */
static enum tv_code look_at_part(struct previewing *previewing, const struct tv_pool *pool,
                                 struct tv_error *err)
{
    const struct tv_export_opts *opts = previewing->opts;
    const struct tv_selection *selection = &opts->scope.selection;
    struct tv_sums *sums = &previewing->stacks.sums;
    struct tv_preview *preview = previewing->preview;
    TV_TRY(tv_stacks_compute(&previewing->stacks, previewing->index, &opts->scope, pool, err));
    if (previewing->stacks.filter.hidden || opts->levels)
        TV_TRY(tv_sums_hide(sums, previewing->stacks.filter.hidden, opts->levels, err));
    for (uint32_t i = 0; i < tv_selection_thread_count(selection, previewing->index); i++) {
        uint32_t thread_ix = tv_selection_thread(selection, i);
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        bool is_met = false;
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            bool is_touched = tv_sums_is_touched(sums, node);
            is_met = is_met || is_touched;
            previewing->is_met[sums->method[node]] |= is_touched;
        }
        bool is_kept = tv_str_equal(preview->names.threads[thread_ix],
                                    tv_index_thread_name(previewing->index, thread_ix));
        preview->threads_kept += is_met && is_kept;
        preview->threads_replaced += is_met && !is_kept;
    }
    return TV_OK;
}

/* Only methods that are called in the part count: what is not written can give nothing away. */
static enum tv_code make(struct previewing *previewing, const struct tv_pool *pool,
                         struct tv_error *err)
{
    struct tv_preview *preview = previewing->preview;
    const struct tv_index *index = previewing->index;
    const struct tv_export_opts *opts = previewing->opts;
    TV_TRY(tv_alloc_new(preview->alloc, &previewing->is_met, index->method_count, 1, err));
    TV_TRY(tv_export_names_make(&preview->names, index, opts->file, opts->redact, err));
    TV_TRY(look_at_part(previewing, pool, err));
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (previewing->is_met[i])
            TV_TRY(count_method(previewing, i, err));
    }
    preview->processes_replaced = index->process_count;
    preview->properties_kept = preview->names.property_count;
    preview->properties_left_out = index->info->property_count - preview->names.property_count;
    return tv_sort_rows(preview->alloc, preview->packages, preview->package_count,
                        sizeof(*preview->packages), compare_packages, preview->packages, err);
}

/* The redaction that is counted is the one that an export would do: the same names are made
 * (export/names.h), and compared with those of the trace. */
enum tv_code tv_preview_make(struct tv_preview *preview, const struct tv_index *index,
                             const struct tv_export_opts *opts, const struct tv_pool *pool,
                             struct tv_error *err)
{
    struct previewing previewing = {.preview = preview, .index = index, .opts = opts};
    tv_stacks_init(&previewing.stacks, preview->alloc);
    tv_text_map_init(&previewing.package_of[0], preview->alloc);
    tv_text_map_init(&previewing.package_of[1], preview->alloc);
    enum tv_code code = make(&previewing, pool, err);
    tv_text_map_release(&previewing.package_of[0]);
    tv_text_map_release(&previewing.package_of[1]);
    tv_alloc_release(preview->alloc, &previewing.is_met, index->method_count, 1);
    tv_stacks_release(&previewing.stacks);
    return code;
}
