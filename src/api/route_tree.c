/*
 * tree: a few levels of the calling context tree, top-down or inverted, below a path. Levels and
 * nodes of one answer are limited: a page asks for one to three levels at a time.
 */
#include "analysis/question/tree_question.h"
#include "api/answer_parts.h"
#include "api/answers.h"
#include "api/query.h"
#include "api/route.h"
#include "base/error.h"

#define PATH_LIMIT 1024u
/* About 120 MB of JSON. */
#define NODE_LIMIT 250000u

/* Fills the question from the query; what is not given is as docs/api.md says. */
static enum tv_code take_question(const struct tv_params *params, const struct tv_index *index,
                                  struct tv_tree_question *question, struct tv_error *err)
{
    struct tv_branch branch;
    struct tv_call_tree_opts *opts = &question->opts;
    uint64_t levels = 1;
    uint64_t limit = 0;
    double cut_percent = 0;
    TV_TRY(tv_query_scope(params, index, &question->scope, err));
    TV_TRY(tv_query_sort(params, index, TV_SORT_INCLUSIVE, question->scope.measure, &question->sort,
                         err));
    TV_TRY(tv_query_branch(params, index, PATH_LIMIT, &branch, err));
    TV_TRY(tv_params_u64(params, "depth", 1, TV_TREE_LEVEL_LIMIT, &levels, err));
    TV_TRY(tv_params_u64(params, "n", 0, UINT32_MAX, &limit, err));
    TV_TRY(tv_params_decimal(params, "cut", &cut_percent, err));
    if (cut_percent > 100)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "cut must be a percentage up to 100");
    *opts = (struct tv_call_tree_opts){.direction = branch.direction,
                                       .path = branch.path,
                                       .path_len = branch.path_len,
                                       .levels = (uint32_t)levels,
                                       .cut = cut_percent / 100,
                                       .node_limit = (size_t)limit};
    return TV_OK;
}

/* Opens the object of a node, which its list of children may still follow. */
static void open_node(struct tv_writer *writer, const struct tv_call_tree_node *node)
{
    tv_json_open_object(&writer->json);
    tv_write_short_method(writer, node->method);
    tv_json_key_u64(&writer->json, "calls", node->numbers.calls);
    tv_write_times(writer, "inclusive", node->numbers.inclusive_ns);
    tv_write_times(writer, "exclusive", node->numbers.exclusive_ns);
    tv_json_key_truth(&writer->json, "has_children", node->has_children);
}

/* Writes all nodes. An opened node's object holds the list of its children and how many of them
 * were left out, so the object ends where that list ends. */
static enum tv_code write_nodes(struct tv_writer *writer, const struct tv_call_tree *tree,
                                uint32_t levels, struct tv_error *err)
{
    size_t count = 0;
    struct tv_tree_walk walk;
    struct tv_tree_step step;
    tv_tree_walk_begin(&walk, tree, levels);
    tv_json_key(&writer->json, "nodes");
    tv_json_open_array(&writer->json);
    while ((step = tv_tree_walk_next(&walk)).event != TV_TREE_END) {
        if (step.event == TV_TREE_LIST_END) {
            tv_json_close_array(&writer->json);
            tv_json_key_u64(&writer->json, "more", step.more);
        } else {
            if (++count > NODE_LIMIT)
                return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                               "the tree has more than %u nodes to show: ask for fewer levels, a "
                               "higher cut or fewer nodes a level",
                               NODE_LIMIT);
            open_node(writer, step.node);
        }
        if (step.is_opened) {
            tv_json_key(&writer->json, "children");
            tv_json_open_array(&writer->json);
        } else if (step.event == TV_TREE_NODE || step.level > 0) {
            tv_json_close_object(&writer->json);
        }
    }
    return TV_OK;
}

static enum tv_code write_answer(const struct tv_api *api, const struct tv_tree_answer *answer,
                                 uint32_t levels, struct tv_buffer *body, struct tv_error *err)
{
    struct tv_writer writer;
    tv_writer_init(&writer, api->index, body, api->alloc);
    tv_json_open_object(&writer.json);
    tv_write_clocks(&writer);
    tv_write_times(&writer, "total", answer->total_ns);
    enum tv_code code = write_nodes(&writer, &answer->tree, levels, err);
    if (code != TV_OK) {
        tv_writer_release(&writer);
        return code;
    }
    tv_json_close_object(&writer.json);
    return tv_writer_finish(&writer, err);
}

enum tv_code tv_answer_tree(const struct tv_api *api, const struct tv_tree_question *question,
                            struct tv_buffer *body, struct tv_error *err)
{
    struct tv_tree_answer answer;
    tv_tree_answer_init(&answer, api->alloc);
    enum tv_code code = tv_tree_answer_compute(&answer, api->index, question, api->pool, err);
    if (code == TV_OK)
        code = write_answer(api, &answer, question->opts.levels, body, err);
    tv_tree_answer_release(&answer);
    return code;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_tree_question question;
    TV_TRY(take_question(&request->params, request->index, &question, err));
    return tv_answer_tree(request->api, &question, &request->response->body, err);
}

static const char *const params[] = {
    TV_SCOPE_PARAMS, TV_SORT_PARAMS, TV_BRANCH_PARAMS, "depth", "cut", "n", NULL};

const struct tv_route tv_route_tree = {"tree", TV_TYPE_JSON, params, run};
