/*
 * methods: the names of methods by rank. Packed answers name methods by rank alone; the page asks
 * here for the names that it has not met yet, and keeps them.
 */
#include "analysis/selection/method_by_name.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/error.h"

#define RANK_LIMIT 2000u

/* The page asks for methods that an answer named by rank only. An answer that is full ends early
 * and counts the rest, so the page can ask again for those that it lacks. */
static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    uint64_t *ranks = NULL;
    size_t count = 0;
    struct tv_answer_writer writer;
    TV_TRY(tv_params_list(&request->params, "ranks", ',', &ranks, &count, err));
    if (!count)
        return tv_params_missing("ranks", err);
    if (count > RANK_LIMIT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%zu ranks; at most %u at once", count,
                       RANK_LIMIT);
    /* All ranks are checked before the first byte is written. */
    for (size_t i = 0; i < count; i++) {
        uint32_t method_ix;
        TV_TRY(tv_method_by_rank(request->index, ranks[i], &method_ix, err));
    }
    tv_writer_init(&writer, request->api, &request->response->body);
    tv_json_open_object(&writer.json);
    tv_json_key(&writer.json, "methods");
    tv_json_open_array(&writer.json);
    size_t i = 0;
    for (; i < count && tv_writer_room(&writer); i++) {
        tv_json_open_object(&writer.json);
        tv_write_method(&writer, request->index->method_of_rank[ranks[i]]);
        tv_json_close_object(&writer.json);
    }
    tv_json_close_array(&writer.json);
    tv_write_left_out(&writer, count - i);
    tv_json_close_object(&writer.json);
    return tv_writer_finish(&writer, err);
}

static const char *const params[] = {"ranks", NULL};

const struct tv_route tv_route_methods = {"methods", TV_TYPE_JSON, params, run};
