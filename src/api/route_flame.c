/* flame: the boxes of a flame graph for a width, with its transforms. */
#include "analysis/flame/flame.h"
#include "api/pack.h"
#include "api/route.h"
#include "base/error.h"

#define MAGIC "TVF1"
#define WIDTH_LIMIT 16384u
#define PATH_LIMIT 4096u

/* "RANK" or "PACKAGE" of one transform. */
static enum tv_code take_op(struct tv_request *request, struct tv_str text, struct tv_flame_op *op,
                            struct tv_error *err)
{
    static const char *const kinds[] = {"focus", "merge", "drop", "recursion", "collapse"};
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
                return tv_params_rank(request->index, rank, &op->method, err);
        }
    }
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "ops must be focus:RANK, merge:RANK, drop:RANK, recursion:RANK or "
                   "collapse:PACKAGE, separated by \";\"");
}

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

static enum tv_code take_opts(struct tv_request *request, struct tv_flame_opts *opts,
                              struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    struct tv_str text;
    bool is_inverted = false;
    struct tv_method_path path;
    uint64_t width = 0;
    if (!tv_params_find(params, "width", &text))
        return tv_params_missing("width", err);
    TV_TRY(tv_params_u64(params, "width", 1, WIDTH_LIMIT, &width, err));
    TV_TRY(tv_params_truth(params, "inverted", &is_inverted, err));
    opts->width = (uint32_t)width;
    opts->direction = is_inverted ? TV_INVERTED : TV_TOP_DOWN;
    TV_TRY(tv_params_path(params, "path", request->index, PATH_LIMIT, &path, err));
    opts->path = path.methods;
    opts->path_len = path.len;
    return take_ops(request, opts, err);
}

static void pack_head(struct tv_pack *pack, const struct tv_flame *flame)
{
    for (size_t i = 0; i < 4; i++)
        tv_pack_u8(pack, (uint8_t)MAGIC[i]);
    tv_pack_u32(pack, flame->is_complete ? TV_PACK_COMPLETE : 0);
    tv_pack_f64(pack, (double)flame->total_ns);
    tv_pack_f64(pack, (double)flame->value_ns);
    tv_pack_u32(pack, (uint32_t)flame->count);
    tv_pack_u32(pack, flame->dropped > UINT32_MAX ? UINT32_MAX : (uint32_t)flame->dropped);
    tv_pack_u32(pack, flame->level_count);
    pack->pos = TV_PACK_HEAD_LEN;
}

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

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_view view;
    struct tv_flame_opts opts = {.width = 0};
    struct tv_method_filter filter;
    struct tv_sums sums;
    struct tv_flame flame;
    TV_TRY(tv_params_view(&request->params, request->index, &view, err));
    TV_TRY(take_opts(request, &opts, err));
    opts.measure = view.measure;
    tv_method_filter_init(&filter, request->alloc);
    tv_sums_init(&sums, request->alloc);
    tv_flame_init(&flame, request->alloc);
    enum tv_code code = tv_method_filter_make(&filter, request->index, view.match, view.hide, err);
    if (code == TV_OK)
        code = tv_sums_compute_matching(&sums, request->index, &view.selection, filter.matches,
                                        request->api->pool, err);
    opts.hidden = filter.hidden;
    if (code == TV_OK)
        code = tv_flame_compute(&flame, &sums, &opts, err);
    if (code == TV_OK)
        code = pack_answer(request, &flame, err);
    tv_flame_release(&flame);
    tv_sums_release(&sums);
    tv_method_filter_release(&filter);
    return code;
}

static const char *const params[] = {TV_VIEW_PARAMS, "width", "path", "inverted", "ops", NULL};

const struct tv_route tv_route_flame = {"flame", TV_TYPE_PACKED, params, run};
