/*
 * tree: a few levels of the calling context tree, top-down or inverted, below a path.
 *
 * A method may have very many nodes, and a node refers to it by rank. Where an answer has no room
 * for all nodes that were asked for, it has the upper levels rather than the first branch: nodes
 * are counted by level first, and the levels that fit are written, of the last one a part.
 */
#include "analysis/question/tree_question.h"
#include "api/answers.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/alloc.h"
#include "base/error.h"

#define PATH_LIMIT 1024u
/* About as long as the JSON of a node gets, bytes. */
#define NODE_LEN 160u

/* Takes a method that may be missing; it lives in the arena of the parameters. */
static enum tv_code take_method(const struct tv_params *params, const char *name,
                                const struct tv_index *index, const uint32_t **method,
                                struct tv_error *err)
{
    struct tv_str text;
    uint32_t *method_ix;
    *method = NULL;
    if (!tv_params_find(params, name, &text))
        return TV_OK;
    TV_TRY(tv_arena_take(params->arena, sizeof(*method_ix), &method_ix, err));
    *method = method_ix;
    return tv_query_method(params, name, index, method_ix, err);
}

/* Takes the share of the way that is followed, a percentage. */
static enum tv_code take_way(const struct tv_params *params, struct tv_tree_question *question,
                             struct tv_error *err)
{
    struct tv_str text;
    double percent = 0;
    question->is_way = tv_params_find(params, "follow", &text);
    if (!question->is_way)
        return TV_OK;
    TV_TRY(tv_params_decimal(params, "follow", &percent, err));
    if (percent > 100)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "follow must be a percentage up to 100");
    if (tv_params_find(params, "rows", &text))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "rows limits all nodes, follow takes those of one way: ask for one of them");
    question->way_share = percent / 100;
    return TV_OK;
}

/* Fills the question from the query; what is not given is as docs/api.md says. */
static enum tv_code take_question(const struct tv_params *params, const struct tv_index *index,
                                  struct tv_tree_question *question, struct tv_error *err)
{
    struct tv_branch branch;
    struct tv_call_tree_opts *opts = &question->opts;
    uint64_t levels = 1;
    uint64_t limit = 0;
    uint64_t row_limit = 0;
    double cut = 0;
    TV_TRY(tv_query_scope(params, index, &question->scope, err));
    TV_TRY(tv_query_idle(params, index, &question->scope, err));
    TV_TRY(tv_query_branch(params, index, PATH_LIMIT, &branch, err));
    TV_TRY(tv_query_tree_sort(params, index, branch.direction, question->scope.measure,
                              &question->sort, err));
    TV_TRY(tv_params_u64(params, "depth", 1, TV_TREE_JSON_LEVELS, &levels, err));
    TV_TRY(tv_params_u64(params, "n", 0, UINT32_MAX, &limit, err));
    TV_TRY(tv_params_u64(params, "rows", 0, UINT32_MAX, &row_limit, err));
    TV_TRY(tv_query_cut(params, &cut, err));
    TV_TRY(take_way(params, question, err));
    *opts = (struct tv_call_tree_opts){.direction = branch.direction,
                                       .path = branch.path,
                                       .path_len = branch.path_len,
                                       .levels = (uint32_t)levels,
                                       .cut = cut,
                                       .node_limit = (size_t)limit,
                                       .row_limit = (size_t)row_limit};
    TV_TRY(take_method(params, "root", index, &opts->root, err));
    return take_method(params, "focus", index, &question->focus, err);
}

/* Opens the object of a node, which its list of children may still follow. */
static void open_node(struct tv_answer_writer *writer, const struct tv_call_tree_node *node,
                      enum tv_call_tree_direction direction)
{
    tv_json_open_object(&writer->json);
    tv_write_rank(writer, node->method);
    tv_json_key_u64(&writer->json, "calls", node->numbers.calls);
    tv_write_numbers(writer, &node->numbers);
    if (direction == TV_INVERTED)
        tv_write_times(writer, "method_inclusive", node->method_inclusive_ns);
    tv_json_key_truth(&writer->json, "has_children", node->has_children);
}

/* How much of a tree is written. */
struct tree_room {
    uint32_t levels;     /* levels of which nodes are written */
    uint64_t last_count; /* nodes of the last of them that may be written */
};

/* How many nodes the whole answer would have. It walks the tree as the writer does, so that the
 * difference is what the answer had no room for. */
static uint64_t count_nodes(const struct tv_call_tree *tree, uint32_t levels)
{
    uint64_t count = 0;
    struct tv_tree_walk walk;
    struct tv_tree_step step;
    tv_tree_walk_begin(&walk, tree, levels);
    while ((step = tv_tree_walk_next(&walk)).event != TV_TREE_END)
        count += step.event == TV_TREE_NODE;
    return count;
}

/* Counts the nodes of a level that fit into *left bytes, with the names of methods that are not in
 * `named` yet. False: not all of them fit. */
static bool fit_level(const struct tv_answer_writer *writer, const struct tv_call_tree *tree,
                      uint32_t level, uint8_t *named, size_t *left, uint64_t *count)
{
    struct tv_tree_walk walk;
    struct tv_tree_step step;
    *count = 0;
    tv_tree_walk_begin(&walk, tree, level + 1);
    while ((step = tv_tree_walk_next(&walk)).event != TV_TREE_END) {
        if (step.event != TV_TREE_NODE || step.level != level)
            continue;
        uint32_t method = step.node->method;
        size_t len = NODE_LEN + (named[method] ? 0 : tv_writer_name_len(writer, method));
        if (len > *left)
            return false;
        named[method] = 1;
        *left -= len;
        ++*count;
    }
    return true;
}

/* Gives the room to the levels from the uppermost. */
static enum tv_code share_room(const struct tv_answer_writer *writer, const struct tv_alloc *alloc,
                               const struct tv_call_tree *tree, uint32_t levels,
                               struct tree_room *room, struct tv_error *err)
{
    uint8_t *named;
    size_t left = tv_writer_room(writer);
    TV_TRY(tv_alloc_new(alloc, &named, writer->index->method_count, 1, err));
    room->levels = 0;
    bool fits = true;
    while (fits && room->levels < levels) {
        fits = fit_level(writer, tree, room->levels, named, &left, &room->last_count);
        room->levels++;
        if (!room->last_count) /* no level below has nodes */
            break;
    }
    tv_alloc_release(alloc, &named, writer->index->method_count, 1);
    return TV_OK;
}

/* Writes the nodes that there is room for, and returns how many they are. An opened node's object
 * holds the list of its children and how many of them were left out, so the object ends where that
 * list ends. */
static uint64_t write_nodes(struct tv_answer_writer *writer, const struct tv_call_tree *tree,
                            enum tv_call_tree_direction direction, struct tree_room room)
{
    uint64_t written = 0;
    uint32_t skipped[TV_TREE_JSON_LEVELS] = {0}; /* per level: nodes of the open list */
    struct tv_tree_walk walk;
    tv_tree_walk_begin(&walk, tree, room.levels);
    tv_json_key(&writer->json, "nodes");
    tv_json_open_array(&writer->json);
    for (;;) {
        if (!tv_writer_room(writer))
            walk.levels = 0; /* nodes are longer than was reckoned: no further list is opened */
        struct tv_tree_step step = tv_tree_walk_next(&walk);
        if (step.event == TV_TREE_END)
            return written;
        bool is_last = step.level + 1 == room.levels;
        if (step.event == TV_TREE_LIST_END) {
            tv_json_close_array(&writer->json);
            tv_json_key_u64(&writer->json, "more", (uint64_t)step.more + skipped[step.level]);
            skipped[step.level] = 0;
            if (step.level > 0)
                tv_json_close_object(&writer->json);
            continue;
        }
        if (!walk.levels || (is_last && !room.last_count)) {
            skipped[step.level]++;
            continue;
        }
        room.last_count -= is_last;
        written++;
        open_node(writer, step.node, direction);
        if (step.is_opened) {
            tv_json_key(&writer->json, "children");
            tv_json_open_array(&writer->json);
        } else {
            tv_json_close_object(&writer->json);
        }
    }
}

/* How many levels fit is decided before the first node is written, since nodes stand inside each
 * other. */
static enum tv_code write_answer(const struct tv_api *api, const struct tv_tree_answer *answer,
                                 const struct tv_tree_question *question, struct tv_buffer *body,
                                 struct tv_error *err)
{
    uint32_t levels = question->opts.levels;
    struct tv_answer_writer writer;
    tv_writer_init(&writer, api, body);
    tv_json_open_object(&writer.json);
    tv_write_basis(&writer, question->scope.measure);
    tv_write_idle(&writer, &question->scope);
    tv_write_scope_unrecorded(&writer, &question->scope);
    tv_write_times(&writer, "total", answer->total_ns);
    struct tree_room room = {.levels = 0};
    enum tv_code code = share_room(&writer, api->alloc, &answer->tree, levels, &room, err);
    if (code != TV_OK) {
        tv_writer_release(&writer);
        return code;
    }
    uint64_t written = write_nodes(&writer, &answer->tree, question->opts.direction, room);
    tv_write_named_methods(&writer);
    tv_write_left_out(&writer, count_nodes(&answer->tree, levels) - written);
    tv_json_close_object(&writer.json);
    return tv_writer_finish(&writer, err);
}

/* `traceview tree --json` calls this too. */
enum tv_code tv_answer_tree(const struct tv_api *api, const struct tv_tree_question *question,
                            struct tv_buffer *body, struct tv_error *err)
{
    struct tv_tree_answer answer;
    tv_tree_answer_init(&answer, api->alloc);
    enum tv_code code =
        tv_tree_answer_compute(&answer, tv_api_meant(api)->index, question, api->pool, err);
    if (code == TV_OK)
        code = write_answer(api, &answer, question, body, err);
    tv_tree_answer_release(&answer);
    return code;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_tree_question question;
    TV_TRY(take_question(&request->params, request->index, &question, err));
    return tv_answer_tree(request->api, &question, &request->response->body, err);
}

static const char *const params[] = {TV_SCOPE_PARAMS,
                                     TV_IDLE_PARAMS,
                                     TV_SORT_PARAMS,
                                     TV_BRANCH_PARAMS,
                                     "drop",
                                     "root",
                                     "focus",
                                     "depth",
                                     "follow",
                                     "cut",
                                     "n",
                                     "rows",
                                     NULL};

const struct tv_route tv_route_tree = {"tree", TV_TYPE_JSON, params, run};
