/*
 * flame: the boxes of a flame graph for a width in pixels, with its transforms
 * (analysis/flame/flame.h). The answer is packed, one column for each property of a box, because a
 * graph has thousands of boxes; docs/api.md has the layout.
 */
#include "analysis/flame/flame.h"
#include "analysis/question/scope.h"
#include "analysis/selection/method_by_name.h"
#include "api/pack.h"
#include "api/query.h"
#include "api/route.h"
#include "base/error.h"

#define MAGIC "TVF1"
#define WIDTH_LIMIT 16384u
#define PATH_LIMIT 4096u

/* Reads one transform, "focus:RANK" or "collapse:PACKAGE". Its kind is the position of its word. */
static enum tv_code take_op(struct tv_request *request, struct tv_str text, struct tv_flame_op *op,
                            struct tv_error *err)
{
    static const char *const kinds[] = {"focus", "merge", "drop", "recursion", "collapse", "end"};
    struct tv_str kind;
    uint64_t rank;
    if (tv_str_split(&text, ':', &kind) && text.len) {
        for (unsigned i = 0; i < TV_COUNT_OF(kinds); i++) {
            if (!tv_str_equal(kind, tv_str_from(kinds[i])))
                continue;
            op->kind = (enum tv_flame_op_kind)i;
            op->package = text;
            if (op->kind == TV_FLAME_COLLAPSE)
                return TV_OK;
            if (tv_str_to_u64(text, 10, &rank))
                return tv_method_by_rank(request->index, rank, &op->method, err);
        }
    }
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "ops must be focus:RANK, merge:RANK, drop:RANK, recursion:RANK, end:RANK or "
                   "collapse:PACKAGE, separated by \";\"");
}

/* Reads all transforms. Their limit bounds the work for each stack. */
static enum tv_code take_ops(struct tv_request *request, struct tv_flame_opts *opts,
                             struct tv_error *err)
{
    struct tv_flame_op *ops;
    struct tv_str text;
    struct tv_str part;
    if (!tv_params_find(&request->params, "ops", &text) || !text.len)
        return TV_OK;
    TV_TRY(tv_arena_take(request->arena, TV_FLAME_OP_LIMIT * sizeof(*ops), &ops, err));
    opts->ops = ops;
    while (tv_str_split(&text, ';', &part)) {
        if (opts->op_count == TV_FLAME_OP_LIMIT)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u ops", TV_FLAME_OP_LIMIT);
        TV_TRY(take_op(request, part, &ops[opts->op_count], err));
        opts->op_count++;
    }
    return TV_OK;
}

/* The width has no default: without it nobody can say which boxes are too narrow. */
static enum tv_code take_opts(struct tv_request *request, struct tv_flame_opts *opts,
                              struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    struct tv_str text;
    struct tv_branch branch;
    uint64_t width = 0;
    if (!tv_params_find(params, "width", &text))
        return tv_params_missing("width", err);
    TV_TRY(tv_params_u64(params, "width", 1, WIDTH_LIMIT, &width, err));
    TV_TRY(tv_query_branch(params, request->index, PATH_LIMIT, &branch, err));
    opts->width = (uint32_t)width;
    opts->direction = branch.direction;
    opts->path = branch.path;
    opts->path_len = branch.path_len;
    TV_TRY(tv_params_truth(params, "intime", &opts->is_in_time, err));
    return take_ops(request, opts, err);
}

/* Bytes of a box in all columns, and what aligning the columns may add. */
#define BOX_LEN (3u * 8u + 4u * 4u)
#define ALIGN_LEN (4u * 4u)

/* The boxes that an answer has room for, as a graph that borrows them: where there is no room for
 * all, the upper levels are left out. Boxes stand level by level, so the others have their
 * parents. */
static struct tv_flame fit_boxes(const struct tv_api *api, const struct tv_flame *flame)
{
    struct tv_flame fitting = *flame;
    size_t limit = tv_api_answer_limit(api);
    size_t head = TV_PACK_HEAD_LEN + ALIGN_LEN;
    size_t most = limit > head ? (limit - head) / BOX_LEN : 0;
    if (flame->count > most) {
        fitting.count = most;
        fitting.is_complete = false;
        fitting.level_count = most ? flame->boxes[most - 1].level + 1 : 0;
    }
    return fitting;
}

/* Counts that a number of 32 bits cannot hold are told as the largest number that it can. */
static void pack_head(struct tv_pack *pack, const struct tv_flame *flame)
{
    tv_pack_bytes(pack, MAGIC, 4);
    tv_pack_u32(pack, flame->is_complete ? TV_PACK_COMPLETE : 0);
    tv_pack_f64(pack, (double)flame->total_ns);
    tv_pack_f64(pack, (double)flame->value_ns);
    tv_pack_u32(pack, (uint32_t)flame->count);
    tv_pack_u32(pack, flame->dropped > UINT32_MAX ? UINT32_MAX : (uint32_t)flame->dropped);
    tv_pack_u32(pack, flame->level_count);
    pack->pos = TV_PACK_HEAD_LEN;
}

/* Packs the boxes, property by property; columns of 8 bytes need no aligning. */
static void pack_boxes(struct tv_pack *pack, const struct tv_index *index,
                       const struct tv_flame *flame)
{
    const struct tv_flame_box *boxes = flame->boxes;
    for (size_t i = 0; i < flame->count; i++)
        tv_pack_f64(pack, (double)boxes[i].x);
    for (size_t i = 0; i < flame->count; i++)
        tv_pack_f64(pack, (double)boxes[i].value);
    for (size_t i = 0; i < flame->count; i++)
        tv_pack_f64(pack, (double)boxes[i].self);
    for (size_t i = 0; i < flame->count; i++)
        tv_pack_u32(pack, index->methods[boxes[i].method].rank);
    tv_pack_align(pack);
    for (size_t i = 0; i < flame->count; i++)
        tv_pack_u32(pack, boxes[i].level);
    tv_pack_align(pack);
    for (size_t i = 0; i < flame->count; i++)
        tv_pack_u32(pack, boxes[i].parent);
    tv_pack_align(pack);
    for (size_t i = 0; i < flame->count; i++)
        tv_pack_u32(pack, boxes[i].calls > UINT32_MAX ? UINT32_MAX : (uint32_t)boxes[i].calls);
    tv_pack_align(pack);
}

/* Adds up the length of head and columns, and fills them. */
static enum tv_code pack_answer(struct tv_request *request, const struct tv_flame *flame,
                                struct tv_error *err)
{
    struct tv_pack pack;
    size_t len = TV_PACK_HEAD_LEN + 3 * tv_pack_column_len(flame->count, 8) +
                 4 * tv_pack_column_len(flame->count, 4);
    TV_TRY(tv_pack_init(&pack, &request->response->body, len, err));
    pack_head(&pack, flame);
    pack_boxes(&pack, request->index, flame);
    tv_assert(pack.pos == len);
    return TV_OK;
}

/* What the answer has no room for is left out by fit_boxes after the whole graph was laid out. */
static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_scope scope;
    struct tv_flame_opts opts = {.width = 0};
    struct tv_stacks stacks;
    struct tv_flame flame;
    TV_TRY(tv_query_scope(&request->params, request->index, &scope, err));
    TV_TRY(tv_query_idle(&request->params, request->index, &scope, err));
    TV_TRY(take_opts(request, &opts, err));
    tv_stacks_init(&stacks, request->alloc);
    tv_flame_init(&flame, request->alloc);
    enum tv_code code = tv_stacks_compute(&stacks, request->index, &scope, request->api->pool, err);
    opts.measure = scope.measure;
    opts.hidden = stacks.filter.hidden;
    if (code == TV_OK)
        code = tv_flame_compute(&flame, &stacks.sums, &opts, err);
    struct tv_flame fitting = fit_boxes(request->api, &flame);
    if (code == TV_OK)
        code = pack_answer(request, &fitting, err);
    tv_flame_release(&flame);
    tv_stacks_release(&stacks);
    return code;
}

static const char *const params[] = {
    TV_SCOPE_PARAMS, TV_IDLE_PARAMS, TV_BRANCH_PARAMS, "width", "ops", "intime", NULL};

const struct tv_route tv_route_flame = {"flame", TV_TYPE_PACKED, params, run};
