/*
 * lanes: messages, frames and phases of the main thread, found by analysis/lanes/lanes.h. Items
 * name their call, so the page can select it; those that are left out, as too short or for want of
 * room, are counted. traceview-frames(1) has the members.
 */
#include "analysis/lanes/lanes.h"
#include "analysis/selection/range.h"
#include "api/answers.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/error.h"

/* The most items of each lane: a picture of a screen has room for fewer, and the shortest of more
 * are seen by nobody. */
#define ITEMS_MOST 5000u

static void write_part(struct tv_answer_writer *writer, const char *key, uint64_t part_ns)
{
    if (part_ns)
        tv_json_key_u64(&writer->json, key, part_ns);
}

/* Only frames have parts, and only messages name another method than that of their call. */
static void write_item(struct tv_answer_writer *writer, enum tv_lane lane,
                       const struct tv_lane_item *item)
{
    const struct tv_index *index = writer->index;
    const struct tv_index_thread *thread = &index->threads[item->call.thread_ix];
    struct tv_json *json = &writer->json;
    tv_json_open_object(json);
    if (item->label)
        tv_json_key_text(json, "name", item->label);
    tv_json_key_u64(json, "thread", thread->id);
    tv_json_key_u64(json, "depth", item->call.depth);
    tv_json_key_u64(json, "call", tv_call_ordinal_in_row(index, item->call));
    tv_json_key_u64(json, "start_ns", item->start_ns);
    tv_json_key_u64(json, "end_ns", item->start_ns + item->len_ns);
    if (index->info->has_clock[TV_CLOCK_CPU])
        tv_json_key_u64(json, "cpu_ns",
                        tv_index_duration(index, thread, TV_CLOCK_CPU, item->call.call) *
                            index->info->unit_ns);
    if (tv_call_is_open_at_end(index, item->call))
        tv_json_key_truth(json, "open_at_end", true);
    if (tv_call_is_adopted(index, item->call))
        tv_json_key_truth(json, "adopted", true);
    if (lane == TV_LANE_MESSAGE)
        tv_write_rank(writer, item->method);
    if (lane == TV_LANE_FRAME) {
        write_part(writer, "measure_ns", item->part_ns[TV_FRAME_MEASURE]);
        write_part(writer, "layout_ns", item->part_ns[TV_FRAME_LAYOUT]);
        write_part(writer, "draw_ns", item->part_ns[TV_FRAME_DRAW]);
        tv_json_key_u64(json, "rest_ns", tv_frame_rest_ns(item));
    }
    tv_json_close_object(json);
}

/* `count` is of all items. An item is left out for being too short to be seen (left_out of the
 * lane) or because the answer is full; the page says how many, not why. */
static void write_lane(struct tv_answer_writer *writer, const char *key, enum tv_lane lane,
                       const struct tv_lane_items *items)
{
    size_t i = 0;
    tv_json_key(&writer->json, key);
    tv_json_open_object(&writer->json);
    tv_json_key_u64(&writer->json, "count", items->count + items->left_out);
    tv_json_key(&writer->json, "items");
    tv_json_open_array(&writer->json);
    for (; i < items->count && tv_writer_room(writer); i++)
        write_item(writer, lane, &items->of[i]);
    tv_json_close_array(&writer->json);
    tv_write_left_out(writer, items->count - i + items->left_out);
    tv_json_close_object(&writer->json);
}

/* Phases come first: there are a handful of them, and they must not be crowded out of the answer by
 * ten thousand messages. */
static enum tv_code write_answer(const struct tv_api *api, const struct tv_lanes *lanes,
                                 struct tv_buffer *body, struct tv_error *err)
{
    struct tv_answer_writer writer;
    tv_writer_init(&writer, api, body);
    tv_json_open_object(&writer.json);
    tv_write_default_basis(&writer);
    write_lane(&writer, "phases", TV_LANE_PHASE, &lanes->lanes[TV_LANE_PHASE]);
    write_lane(&writer, "frames", TV_LANE_FRAME, &lanes->lanes[TV_LANE_FRAME]);
    write_lane(&writer, "messages", TV_LANE_MESSAGE, &lanes->lanes[TV_LANE_MESSAGE]);
    tv_write_named_methods(&writer);
    tv_json_close_object(&writer.json);
    return tv_writer_finish(&writer, err);
}

/* `traceview frames --json` calls this too. */
enum tv_code tv_answer_lanes(const struct tv_api *api, struct tv_buffer *body, struct tv_error *err)
{
    struct tv_lanes lanes;
    tv_lanes_init(&lanes, api->alloc);
    enum tv_code code = tv_lanes_find(&lanes, tv_api_meant(api)->index, ITEMS_MOST, err);
    if (code == TV_OK)
        code = write_answer(api, &lanes, body, err);
    tv_lanes_release(&lanes);
    return code;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    return tv_answer_lanes(request->api, &request->response->body, err);
}

static const char *const params[] = {NULL};

const struct tv_route tv_route_lanes = {"lanes", TV_TYPE_JSON, params, run};
