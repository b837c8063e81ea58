/*
 * flamediff: the flame graph of what changed from an old trace to the one that is meant, as
 * `traceview flame --diff` draws it (export/flame/flame_diff.h), as boxes for a page. Both traces
 * are asked for the same part: moments since their starts, threads of the same names, packages. The
 * answer is packed as that of `flame` is, with the names of the frames behind the boxes, since the
 * old trace alone may have them; docs/api.md has the layout.
 */
#include "api/pack.h"
#include "api/route.h"
#include "api/trace_pair.h"
#include "base/error.h"
#include "export/flame/flame_change.h"

#define MAGIC "TVD1"
#define WIDTH_LIMIT 16384u
#define LEAST_PIXELS 0.5

/* Bytes of a box in all columns, with those of a name of its own, and what head and aligning take.
 */
#define BOX_LEN (5u * 8u + 7u * 4u + 1u)
#define HEAD_MOST (TV_PACK_HEAD_LEN + 9u * 8u)

struct change {
    struct tv_trace_pair pair;
    struct tv_flame_base bases[TV_SIDE_COUNT];
    struct tv_flame_change_opts opts;
    struct tv_flame_change flame;
};

/* As `flame`, the question has no default width. */
static enum tv_code take_opts(const struct tv_request *request, struct change *change,
                              struct tv_error *err)
{
    static const char *const views[] = {
        [TV_FLAME_DIFF_NEW] = "new", [TV_FLAME_DIFF_OLD] = "old", [TV_FLAME_DIFF_GONE] = "gone"};
    const struct tv_params *params = &request->params;
    struct tv_flame_change_opts *opts = &change->opts;
    struct tv_str text;
    unsigned view = TV_FLAME_DIFF_NEW;
    uint64_t width = 0;
    if (!tv_params_find(params, "width", &text))
        return tv_params_missing("width", err);
    TV_TRY(tv_params_u64(params, "width", 1, WIDTH_LIMIT, &width, err));
    TV_TRY(tv_params_choice(params, "view", views, TV_COUNT_OF(views), &view, err));
    TV_TRY(tv_params_truth(params, "share", &opts->diff.is_by_share, err));
    (void)tv_params_find(params, "path", &opts->path);
    opts->diff.view = (enum tv_flame_diff_view)view;
    opts->width = (double)width;
    opts->least_pixels = LEAST_PIXELS;
    /* Half of the answer is for the names. */
    opts->box_limit = tv_api_answer_limit(request->api) / 2 / BOX_LEN;
    opts->box_limit = opts->box_limit > 1 ? opts->box_limit : 1;
    return TV_OK;
}

/* The stacks of a side. */
static enum tv_code make_base(const struct tv_request *request, struct change *change,
                              enum tv_side side, struct tv_error *err)
{
    const struct tv_api_trace *trace = change->pair.of[side];
    const struct tv_trace_flame flame = {
        .shared = {.scope = change->pair.scopes[side], .file = trace->file},
        .look = tv_flame_look_usual(),
        .base = &change->bases[side]};
    struct tv_export_result result;
    struct tv_buffer nothing;
    TV_TRY(tv_check_wanted(request->api->is_unwanted, err));
    tv_buffer_init(&nothing, request->alloc);
    enum tv_code code =
        tv_export_run(&tv_export_flame_base, trace->index, &flame.shared, request->alloc,
                      request->api->pool, tv_buffer_sink(&nothing), &result, err);
    tv_buffer_release(&nothing);
    return code;
}

struct making {
    const struct tv_request *request;
    struct change *change;
    enum tv_code codes[TV_SIDE_COUNT];
    struct tv_error why[TV_SIDE_COUNT];
};

static void make_task(void *arg, size_t side)
{
    struct making *making = arg;
    making->codes[side] =
        make_base(making->request, making->change, (enum tv_side)side, &making->why[side]);
}

/* Both sides at once. What fails in one of them is told with the name of its file. */
static enum tv_code make_bases(const struct tv_request *request, struct change *change,
                               struct tv_error *err)
{
    const struct tv_pool *pool = request->api->pool ? request->api->pool : tv_pool_serial();
    struct making making = {.request = request, .change = change};
    pool->run(pool->ctx, make_task, &making, TV_SIDE_COUNT);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        TV_TRY(tv_trace_pair_tell(&change->pair, (enum tv_side)side, making.codes[side],
                                  &making.why[side], err));
    return TV_OK;
}

/* The names of the boxes, each once, and the answer as it is filled. */
struct change_pack {
    const struct tv_request *request;
    const struct change *change;
    struct tv_pack pack;
    uint32_t *box_of_level; /* the last box of each level */
    uint32_t *place;        /* by name of the tree: among the names of the answer, or TV_NONE */
    uint32_t *frame;        /* by name of the answer: a frame that has it */
    uint32_t name_count;
    uint32_t bytes; /* of all names that there is room for */
    bool is_complete;
};

static const struct tv_stack_frame *frame_of(const struct change_pack *of, size_t box)
{
    return &of->change->flame.drawn->frames[of->change->flame.boxes.of[box].frame];
}

static struct tv_str name_of(const struct change_pack *of, uint32_t name)
{
    return tv_stack_tree_name_of(of->change->flame.drawn, of->frame[name]);
}

/* Names of any length may meet in one answer: one that would take more than half of it is told as
 * empty, and so are all behind it. */
static enum tv_code gather_names(struct change_pack *of, struct tv_error *err)
{
    const struct tv_flame_change *flame = &of->change->flame;
    const size_t known = flame->drawn->names.count;
    const size_t half = tv_api_answer_limit(of->request->api) / 2;
    const size_t most = half > HEAD_MOST ? half - HEAD_MOST : 0;
    TV_TRY(tv_arena_take(of->request->arena, (known + 1) * sizeof(*of->place), &of->place, err));
    TV_TRY(tv_arena_take(of->request->arena, (known + 1) * sizeof(*of->frame), &of->frame, err));
    for (size_t i = 0; i < known; i++)
        of->place[i] = TV_NONE;
    for (size_t i = 0; i < flame->boxes.count; i++) {
        uint32_t *place = &of->place[frame_of(of, i)->name];
        if (*place != TV_NONE)
            continue;
        *place = of->name_count++;
        of->frame[*place] = flame->boxes.of[i].frame;
        const size_t len = name_of(of, *place).len;
        of->is_complete = of->is_complete && len <= most && of->bytes <= most - len;
        of->bytes += of->is_complete ? (uint32_t)len : 0;
    }
    return TV_OK;
}

static uint32_t count_of(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void pack_head(struct change_pack *of)
{
    const struct tv_flame_diff *diff = &of->change->flame.diff;
    const struct tv_flame_boxes *boxes = &of->change->flame.boxes;
    struct tv_pack *pack = &of->pack;
    tv_pack_bytes(pack, MAGIC, 4);
    bool is_complete = of->is_complete && !boxes->over_the_limit;
    tv_pack_u32(pack, (is_complete ? TV_PACK_COMPLETE : 0) |
                          (uint32_t)of->change->pair.scopes[TV_SIDE_NEW].measure << 8);
    tv_pack_f64(pack, (double)diff->old_total);
    tv_pack_f64(pack, (double)diff->new_total);
    tv_pack_f64(pack, diff->most);
    tv_pack_f64(pack, (double)diff->gone_value);
    tv_pack_u32(pack, (uint32_t)boxes->count);
    tv_pack_u32(pack, count_of(boxes->too_narrow + boxes->over_the_limit));
    tv_pack_u32(pack, boxes->level_count);
    tv_pack_u32(pack, of->name_count);
    tv_pack_u32(pack, count_of(diff->gone_count));
    tv_pack_u32(pack, count_of(diff->added_count));
    tv_assert(pack->pos == TV_PACK_HEAD_LEN);
}

static struct tv_flame_diff_frame sides_of(const struct change_pack *of, size_t box)
{
    return tv_flame_diff_sides(&of->change->flame.diff, of->change->flame.boxes.of[box].frame);
}

/* Columns of 8 bytes need no aligning. */
static void pack_times(struct change_pack *of)
{
    const size_t count = of->change->flame.boxes.count;
    const uint64_t start = of->change->flame.drawn->frames[of->change->flame.top].start;
    for (size_t i = 0; i < count; i++)
        tv_pack_f64(&of->pack, (double)(frame_of(of, i)->start - start));
    for (size_t i = 0; i < count; i++)
        tv_pack_f64(&of->pack, (double)frame_of(of, i)->value);
    for (size_t i = 0; i < count; i++)
        tv_pack_f64(&of->pack, (double)sides_of(of, i).old_value);
    for (size_t i = 0; i < count; i++)
        tv_pack_f64(&of->pack, (double)sides_of(of, i).new_value);
    for (size_t i = 0; i < count; i++)
        tv_pack_f64(&of->pack, tv_flame_diff_change(&of->change->flame.diff,
                                                    of->change->flame.boxes.of[i].frame));
}

/* A box stands behind the one that it stands on, which is the last one of the level below. */
static void pack_parents(struct change_pack *of)
{
    const struct tv_flame_boxes *boxes = &of->change->flame.boxes;
    for (size_t i = 0; i < boxes->count; i++) {
        const uint32_t level = boxes->of[i].level;
        tv_pack_u32(&of->pack, level ? of->box_of_level[level - 1] : TV_NONE);
        of->box_of_level[level] = (uint32_t)i;
    }
    tv_pack_align(&of->pack);
}

static void pack_numbers(struct change_pack *of)
{
    const struct tv_flame_boxes *boxes = &of->change->flame.boxes;
    for (size_t i = 0; i < boxes->count; i++)
        tv_pack_u32(&of->pack, of->place[frame_of(of, i)->name]);
    tv_pack_align(&of->pack);
    for (size_t i = 0; i < boxes->count; i++)
        tv_pack_u32(&of->pack, boxes->of[i].level);
    tv_pack_align(&of->pack);
    pack_parents(of);
    for (size_t i = 0; i < boxes->count; i++)
        tv_pack_u32(&of->pack, count_of(sides_of(of, i).old_calls));
    tv_pack_align(&of->pack);
    for (size_t i = 0; i < boxes->count; i++)
        tv_pack_u32(&of->pack, count_of(sides_of(of, i).new_calls));
    tv_pack_align(&of->pack);
    for (size_t i = 0; i < boxes->count; i++) {
        const struct tv_flame_diff_frame sides = sides_of(of, i);
        tv_pack_u8(&of->pack, (uint8_t)((unsigned)sides.is_old | (unsigned)sides.is_new << 1));
    }
    tv_pack_align(&of->pack);
}

/* Ranks of the methods that the names stand for, ends of the names' bytes, and the bytes. */
static void pack_names(struct change_pack *of)
{
    const struct change *change = of->change;
    const struct tv_index *index = change->pair.of[TV_SIDE_NEW]->index;
    const struct tv_flame_base *base = &change->bases[TV_SIDE_NEW];
    uint32_t end = 0;
    for (uint32_t i = 0; i < of->name_count; i++) {
        uint32_t method = tv_flame_change_method(&change->flame, base, of->frame[i]);
        tv_pack_u32(&of->pack, method == TV_NONE ? TV_NONE : index->methods[method].rank);
    }
    tv_pack_align(&of->pack);
    for (uint32_t i = 0; i < of->name_count; i++) {
        const size_t len = name_of(of, i).len;
        end += len <= of->bytes - end ? (uint32_t)len : 0;
        tv_pack_u32(&of->pack, end);
    }
    tv_pack_align(&of->pack);
    for (uint32_t i = 0, left = of->bytes; i < of->name_count; i++) {
        const struct tv_str name = name_of(of, i);
        const size_t len = name.len <= left ? name.len : 0;
        tv_pack_bytes(&of->pack, name.at, len);
        left -= (uint32_t)len;
    }
}

static enum tv_code pack_answer(const struct tv_request *request, const struct change *change,
                                struct tv_error *err)
{
    struct change_pack of = {.request = request, .change = change, .is_complete = true};
    const struct tv_flame_boxes *boxes = &change->flame.boxes;
    TV_TRY(gather_names(&of, err));
    TV_TRY(tv_arena_take(request->arena, (boxes->level_count + (size_t)1) * sizeof(uint32_t),
                         &of.box_of_level, err));
    const size_t len = TV_PACK_HEAD_LEN + 5 * tv_pack_column_len(boxes->count, 8) +
                       5 * tv_pack_column_len(boxes->count, 4) +
                       tv_pack_column_len(boxes->count, 1) +
                       2 * tv_pack_column_len(of.name_count, 4) + of.bytes;
    TV_TRY(tv_pack_init(&of.pack, &request->response->body, len, err));
    pack_head(&of);
    pack_times(&of);
    pack_numbers(&of);
    pack_names(&of);
    tv_assert(of.pack.pos == len);
    return TV_OK;
}

static enum tv_code compare(const struct tv_request *request, struct change *change,
                            struct tv_error *err)
{
    bool is_of_calls;
    TV_TRY(tv_trace_pair_take_calls(request, &change->pair, &is_of_calls, err));
    if (!is_of_calls)
        TV_TRY(tv_trace_pair_take(request, &change->pair, err));
    TV_TRY(tv_trace_pair_take_clock(request, &change->pair, err));
    TV_TRY(take_opts(request, change, err));
    TV_TRY(make_bases(request, change, err));
    TV_TRY(tv_flame_change_make(&change->flame, &change->bases[TV_SIDE_OLD],
                                &change->bases[TV_SIDE_NEW], &change->opts, err));
    return pack_answer(request, change, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct change change = {.opts = {.width = 0}};
    tv_trace_pair_init(&change.pair, request->alloc);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_flame_base_init(&change.bases[side], request->alloc);
    tv_flame_change_init(&change.flame, request->alloc);
    enum tv_code code = compare(request, &change, err);
    tv_flame_change_release(&change.flame);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_flame_base_release(&change.bases[side]);
    tv_trace_pair_release(&change.pair);
    return code;
}

static const char *const params[] = {
    TV_TRACE_PAIR_PARAMS, TV_CALL_PAIR_PARAMS, "clock", "width", "view", "share", "path", NULL};

const struct tv_route tv_route_flamediff = {"flamediff", TV_TYPE_PACKED, params, run};
