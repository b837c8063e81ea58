/*
 * The tables that all threads of a profile share; see export/tools/firefox.h.
 *
 * Strings are the names of the methods that are shown, then the names of files, then one name for
 * all markers; functions and frames are numbered like the methods. A stack is a node of the index,
 * numbered in the order of the nodes that have calls in the scope, and names its caller by the
 * distance to it.
 */
#include "base/error.h"
#include "export/tools/firefox.h"

/* A column of row numbers. */
static void put_numbers(struct tv_firefox *profiling, struct tv_str key, uint32_t count)
{
    tv_firefox_put(profiling, key);
    tv_firefox_put(profiling, TV_STR("["));
    for (uint32_t i = 0; i < count; i++) {
        tv_firefox_put_comma(profiling, !i);
        tv_out_decimal(profiling->out, i);
    }
    tv_firefox_put(profiling, TV_STR("],\n"));
}

/* Files are few and named by many methods, so each gets one number. */
enum tv_code tv_firefox_number_files(struct tv_firefox *profiling, struct tv_error *err)
{
    const struct tv_shown_methods *methods = &profiling->methods;
    TV_TRY(tv_alloc_new(profiling->context->alloc, &profiling->files, methods->count,
                        sizeof(*profiling->files), err));
    for (uint32_t i = 0; i < methods->count; i++) {
        struct tv_str file = profiling->context->names.methods[methods->methods[i]].file;
        uint32_t *number;
        if (!file.len)
            continue;
        TV_TRY(
            tv_text_map_slot(&profiling->file_of_name, file, profiling->file_count, &number, err));
        if (*number == profiling->file_count)
            profiling->files[profiling->file_count++] = file;
    }
    return TV_OK;
}

/* The strings are the methods, then the files, and at last one for all markers; a string's number
 * follows from that order and is nowhere stored. */
static enum tv_code put_strings(struct tv_firefox *profiling, struct tv_error *err)
{
    const struct tv_shown_methods *methods = &profiling->methods;
    const struct tv_export_names *names = &profiling->context->names;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_buffer_init(&name, profiling->context->alloc);
    tv_firefox_put(profiling, TV_STR("\"stringArray\":["));
    for (uint32_t i = 0; i < methods->count && code == TV_OK; i++) {
        code = tv_export_whole_name(&names->methods[methods->methods[i]], &name, err);
        tv_firefox_put_comma(profiling, !i);
        if (code == TV_OK)
            code = tv_firefox_put_quoted(profiling, tv_buffer_view(&name), err);
    }
    for (uint32_t i = 0; i < profiling->file_count && code == TV_OK; i++) {
        tv_firefox_put_comma(profiling, !i && !methods->count);
        code = tv_firefox_put_quoted(profiling, profiling->files[i], err);
    }
    tv_firefox_put_comma(profiling, !methods->count);
    tv_firefox_put(profiling, TV_STR("\"Long call\"],\n"));
    tv_buffer_release(&name);
    return code;
}

/* Files have the strings behind those of the methods. */
static void put_sources(struct tv_firefox *profiling)
{
    const uint32_t count = profiling->file_count;
    tv_firefox_put(profiling, TV_STR("\"sources\":{\"filename\":["));
    for (uint32_t i = 0; i < count; i++) {
        tv_firefox_put_comma(profiling, !i);
        tv_out_decimal(profiling->out, profiling->methods.count + i);
    }
    tv_firefox_put(profiling, TV_STR("],\n"));
    tv_firefox_put_same(profiling, TV_STR("\"id\":"), TV_STR("null"), count);
    tv_firefox_put_same(profiling, TV_STR("\"startLine\":"), TV_STR("1"), count);
    tv_firefox_put_same(profiling, TV_STR("\"startColumn\":"), TV_STR("1"), count);
    tv_firefox_put_same(profiling, TV_STR("\"sourceMapURL\":"), TV_STR("null"), count);
    tv_firefox_put_same(profiling, TV_STR("\"content\":"), TV_STR("null"), count);
    tv_firefox_put_length(profiling, count);
    tv_firefox_put(profiling, TV_STR(",\n\"sourceLocationTable\":"
                                     "{\"source\":[],\"line\":[],\"column\":[],\"length\":0},\n"));
}

static void put_categories(struct tv_firefox *profiling)
{
    const struct tv_shown_methods *methods = &profiling->methods;
    tv_firefox_put(profiling, TV_STR("\"category\":["));
    for (uint32_t i = 0; i < methods->count; i++) {
        tv_firefox_put_comma(profiling, !i);
        tv_out_decimal(profiling->out, tv_firefox_category_of(profiling, methods->methods[i]));
    }
    tv_firefox_put(profiling, TV_STR("],\n"));
}

/* A method is a function, and a frame of it: a trace says where a method begins, and not where it
 * was. */
static void put_functions(struct tv_firefox *profiling)
{
    const uint32_t count = profiling->methods.count;
    put_numbers(profiling, TV_STR("\"frameTable\":{\"func\":"), count);
    tv_firefox_put_same(profiling, TV_STR("\"address\":"), TV_STR("-1"), count);
    tv_firefox_put_same(profiling, TV_STR("\"lib\":"), TV_STR("-1"), count);
    tv_firefox_put_same(profiling, TV_STR("\"inlineDepth\":"), TV_STR("0"), count);
    put_categories(profiling);
    tv_firefox_put_same(profiling, TV_STR("\"subcategory\":"), TV_STR("0"), count);
    tv_firefox_put_same(profiling, TV_STR("\"nativeSymbol\":"), TV_STR("null"), count);
    tv_firefox_put_same(profiling, TV_STR("\"innerWindowID\":"), TV_STR("0"), count);
    tv_firefox_put_same(profiling, TV_STR("\"line\":"), TV_STR("null"), count);
    tv_firefox_put_same(profiling, TV_STR("\"column\":"), TV_STR("null"), count);
    tv_firefox_put_same(profiling, TV_STR("\"originalLocation\":"), TV_STR("null"), count);
    tv_firefox_put_length(profiling, count);
    put_numbers(profiling, TV_STR(",\n\"funcTable\":{\"name\":"), count);
    tv_firefox_put_same(profiling, TV_STR("\"isJS\":"), TV_STR("false"), count);
    tv_firefox_put_same(profiling, TV_STR("\"relevantForJS\":"), TV_STR("false"), count);
    tv_firefox_put_same(profiling, TV_STR("\"resource\":"), TV_STR("-1"), count);
    tv_firefox_put_same(profiling, TV_STR("\"columnNumber\":"), TV_STR("null"), count);
    tv_firefox_put_same(profiling, TV_STR("\"originalLocation\":"), TV_STR("null"), count);
}

/* The two columns of functions that differ between methods. */
static enum tv_code put_places(struct tv_firefox *profiling, struct tv_error *err)
{
    const struct tv_shown_methods *methods = &profiling->methods;
    const struct tv_export_method *named = profiling->context->names.methods;
    tv_firefox_put(profiling, TV_STR("\"source\":["));
    for (uint32_t i = 0; i < methods->count; i++) {
        struct tv_str file = named[methods->methods[i]].file;
        uint32_t *number;
        tv_firefox_put_comma(profiling, !i);
        if (!file.len) {
            tv_firefox_put(profiling, TV_STR("null"));
            continue;
        }
        TV_TRY(tv_text_map_slot(&profiling->file_of_name, file, 0, &number, err));
        tv_out_decimal(profiling->out, *number);
    }
    tv_firefox_put(profiling, TV_STR("],\n\"lineNumber\":["));
    for (uint32_t i = 0; i < methods->count; i++) {
        int32_t line = named[methods->methods[i]].line;
        tv_firefox_put_comma(profiling, !i);
        if (line > 0)
            tv_out_decimal(profiling->out, (uint64_t)line);
        else
            tv_firefox_put(profiling, TV_STR("null"));
    }
    tv_firefox_put(profiling, TV_STR("],\n"));
    tv_firefox_put_length(profiling, methods->count);
    return TV_OK;
}

/* The nearest caller of a node that is shown, in the numbering of the sums. */
static uint32_t shown_parent(const struct tv_sums *sums, uint32_t node)
{
    for (node = sums->parent[node]; node != TV_NONE; node = sums->parent[node]) {
        if (tv_sums_is_touched(sums, node))
            return node;
    }
    return TV_NONE;
}

/* Writes one column of the stacks: the method's number, or how many stacks the caller stands
 * before its callee, 0 for a root. */
static void put_stack_column(struct tv_firefox *profiling, bool is_frame)
{
    const struct tv_sums *sums = &profiling->context->stacks.sums;
    uint32_t number = 0;
    for (uint32_t i = 0; i < tv_export_context_thread_count(profiling->context); i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            if (!tv_sums_is_touched(sums, node))
                continue;
            tv_firefox_put_comma(profiling, !number);
            uint32_t parent = is_frame ? TV_NONE : shown_parent(sums, node);
            uint32_t value = is_frame ? profiling->methods.number_of[sums->method[node]] : 0;
            if (parent != TV_NONE)
                value = number - profiling->stack_of[tv_sums_index_node(sums, parent)];
            tv_out_decimal(profiling->out, value);
            number++;
        }
    }
}

/* A stack is a node that the part touches. A node's parent comes before it, so parents have smaller
 * numbers, as the format demands. */
enum tv_code tv_firefox_number_stacks(struct tv_firefox *profiling, struct tv_error *err)
{
    const struct tv_sums *sums = &profiling->context->stacks.sums;
    TV_TRY(tv_export_context_check_nodes(profiling->context, err));
    TV_TRY(tv_alloc_new(profiling->context->alloc, &profiling->stack_of,
                        profiling->context->index->node_count, sizeof(*profiling->stack_of), err));
    for (uint32_t node = 0; node < profiling->context->index->node_count; node++)
        profiling->stack_of[node] = TV_NONE;
    for (uint32_t i = 0; i < tv_export_context_thread_count(profiling->context); i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            if (tv_sums_is_touched(sums, node))
                profiling->stack_of[tv_sums_index_node(sums, node)] = profiling->stack_count++;
        }
    }
    return TV_OK;
}

/* Tables that the format demands and a trace has not (resources, native symbols) are written empty.
 */
enum tv_code tv_firefox_put_shared(struct tv_firefox *profiling, struct tv_error *err)
{
    tv_firefox_put(profiling, TV_STR(",\"libs\":[],\n\"shared\":{"));
    TV_TRY(put_strings(profiling, err));
    put_sources(profiling);
    put_functions(profiling);
    TV_TRY(put_places(profiling, err));
    tv_firefox_put(
        profiling,
        TV_STR(",\n\"resourceTable\":{\"name\":[],\"host\":[],\"type\":[],\"length\":0},\n"
               "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
               "\"functionSize\":[],\"length\":0},\n"
               "\"stackTable\":{\"frame\":["));
    put_stack_column(profiling, true);
    tv_firefox_put(profiling, TV_STR("],\n\"prefixOffset\":["));
    put_stack_column(profiling, false);
    tv_firefox_put(profiling, TV_STR("],\n"));
    tv_firefox_put_length(profiling, profiling->stack_count);
    tv_firefox_put(profiling, TV_STR("},\n"));
    return TV_OK;
}
