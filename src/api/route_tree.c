/* tree: a few levels of the calling context tree, top-down or inverted, below a path. */
#include "analysis/tree/call_tree.h"
#include "api/route.h"
#include "api/write.h"
#include "base/error.h"

/* Each level of the tree is two of the JSON, which has 64; a page asks for one to three. */
#define LEVEL_LIMIT 31u
#define PATH_LIMIT 1024u
/* About 120 MB of JSON. */
#define NODE_LIMIT 250000u

/* An array of siblings that is being written. */
struct siblings {
    uint32_t next;
    uint32_t end;
    uint32_t more;
};

static void open_node(struct tv_writer *writer, const struct tv_call_tree_node *node)
{
    tv_json_open_object(&writer->json);
    tv_write_short_method(writer, node->method);
    tv_json_key_u64(&writer->json, "calls", node->numbers.calls);
    tv_write_times(writer, "inclusive", node->numbers.inclusive_ns);
    tv_write_times(writer, "exclusive", node->numbers.exclusive_ns);
    tv_json_key_truth(&writer->json, "has_children", node->has_children);
}

/* Writes all nodes with a stack of sibling lists; each list ends with its object's "more". */
static enum tv_code write_nodes(struct tv_writer *writer, const struct tv_call_tree *tree,
                                uint32_t levels, struct tv_error *err)
{
    size_t count = 0;
    struct siblings stack[LEVEL_LIMIT + 1];
    size_t depth = 1;
    stack[0] = (struct siblings){tree->root_first, tree->root_first + tree->root_count, tree->more};
    tv_json_key(&writer->json, "nodes");
    tv_json_open_array(&writer->json);
    while (depth) {
        struct siblings *at = &stack[depth - 1];
        if (at->next < at->end) {
            const struct tv_call_tree_node *node = &tree->nodes[at->next++];
            if (++count > NODE_LIMIT)
                return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                               "the tree has more than %u nodes to show: ask for fewer levels, a "
                               "higher cut or fewer nodes a level",
                               NODE_LIMIT);
            open_node(writer, node);
            if (node->level + 1 < levels && node->has_children) {
                tv_json_key(&writer->json, "children");
                tv_json_open_array(&writer->json);
                stack[depth++] = (struct siblings){
                    node->first_child, node->first_child + node->child_count, node->more};
            } else {
                tv_json_close_object(&writer->json);
            }
            continue;
        }
        tv_json_close_array(&writer->json);
        tv_json_key_u64(&writer->json, "more", at->more);
        depth--;
        if (depth)
            tv_json_close_object(&writer->json);
    }
    return TV_OK;
}

static enum tv_code write_answer(struct tv_request *request, const struct tv_sums *sums,
                                 const struct tv_call_tree *tree, uint32_t levels,
                                 struct tv_error *err)
{
    struct tv_writer writer;
    tv_writer_init(&writer, request->index, &request->response->body, request->alloc);
    tv_json_open_object(&writer.json);
    tv_write_clocks(&writer);
    tv_write_times(&writer, "total", sums->total_ns);
    enum tv_code code = write_nodes(&writer, tree, levels, err);
    if (code != TV_OK) {
        tv_writer_release(&writer);
        return code;
    }
    tv_json_close_object(&writer.json);
    return tv_writer_finish(&writer, err);
}

static enum tv_code take_opts(struct tv_request *request, struct tv_call_tree_opts *opts,
                              struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    uint64_t levels = 1;
    uint64_t limit = 0;
    bool is_inverted = false;
    struct tv_method_path path;
    TV_TRY(tv_params_path(params, "path", request->index, PATH_LIMIT, &path, err));
    opts->path = path.methods;
    opts->path_len = path.len;
    TV_TRY(tv_params_u64(params, "depth", 1, LEVEL_LIMIT, &levels, err));
    TV_TRY(tv_params_u64(params, "n", 0, UINT32_MAX, &limit, err));
    TV_TRY(tv_params_truth(params, "inverted", &is_inverted, err));
    TV_TRY(tv_params_decimal(params, "cut", &opts->cut, err));
    if (opts->cut > 100)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "cut must be a percentage up to 100");
    opts->cut /= 100;
    opts->levels = (uint32_t)levels;
    opts->node_limit = (size_t)limit;
    opts->direction = is_inverted ? TV_INVERTED : TV_TOP_DOWN;
    return TV_OK;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_view view;
    struct tv_call_tree_opts opts = {.direction = TV_TOP_DOWN, .pool = request->api->pool};
    struct tv_method_filter filter;
    struct tv_sums sums;
    struct tv_call_tree tree;
    struct tv_profile_sort sort;
    TV_TRY(tv_params_view(&request->params, request->index, &view, err));
    TV_TRY(tv_params_sort(&request->params, request->index, &view, TV_SORT_INCLUSIVE, &sort, err));
    TV_TRY(take_opts(request, &opts, err));
    opts.sort = &sort;
    opts.measure = view.measure;
    tv_method_filter_init(&filter, request->alloc);
    tv_sums_init(&sums, request->alloc);
    tv_call_tree_init(&tree, request->alloc);
    enum tv_code code = tv_method_filter_make(&filter, request->index, view.match, view.hide, err);
    if (code == TV_OK)
        code = tv_sums_compute_matching(&sums, request->index, &view.selection, filter.matches,
                                        request->api->pool, err);
    opts.hidden = filter.hidden;
    if (code == TV_OK)
        code = tv_call_tree_compute(&tree, &sums, &opts, err);
    if (code == TV_OK)
        code = write_answer(request, &sums, &tree, opts.levels, err);
    tv_call_tree_release(&tree);
    tv_sums_release(&sums);
    tv_method_filter_release(&filter);
    return code;
}

static const char *const params[] = {TV_VIEW_PARAMS, TV_SORT_PARAMS, "path", "depth",
                                     "inverted",     "cut",          "n",    NULL};

const struct tv_route tv_route_tree = {"tree", TV_TYPE_JSON, params, run};
