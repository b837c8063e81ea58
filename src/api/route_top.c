/* top: the method profile, sorted, filtered, cut to a page. */
#include "analysis/calls/percentiles.h"
#include "analysis/profile/profile.h"
#include "analysis/selection/name_pattern.h"
#include "api/route.h"
#include "api/top_groups.h"
#include "api/write.h"
#include "base/alloc.h"
#include "base/error.h"

#define DEFAULT_COUNT 20u

struct question {
    struct tv_view view;
    struct tv_profile_sort sort;
    uint64_t offset;
    uint64_t count; /* 0: all */
    bool has_percentiles;
    bool has_ranks; /* of all methods that match, in the order */
    bool has_overhead;
    bool is_grouped;
    enum tv_group_kind group;
    uint32_t group_parts;
};

/* The answer while it is made: which methods, and their spreads. */
struct answer {
    struct tv_sums sums;
    struct tv_profile profile;
    uint32_t *methods; /* method_count entries; the first `match_count` count */
    size_t match_count;
    const uint32_t *page;
    size_t page_len;
    struct tv_method_percentiles *percentiles; /* of the page, or NULL */
    uint64_t *calls_made;                      /* by each method, or NULL */
};

static enum tv_code take_group(const struct tv_params *params, struct question *question,
                               struct tv_error *err)
{
    static const char *const kinds[] = {"class", "package"};
    struct tv_str text;
    unsigned kind = TV_GROUP_CLASS;
    uint64_t parts = 0;
    question->is_grouped = tv_params_find(params, "group", &text);
    TV_TRY(tv_params_choice(params, "group", kinds, TV_COUNT_OF(kinds), &kind, err));
    TV_TRY(tv_params_u64(params, "parts", 0, UINT32_MAX, &parts, err));
    question->group = (enum tv_group_kind)kind;
    question->group_parts = (uint32_t)parts;
    if (question->is_grouped && (question->has_ranks || question->sort.key == TV_SORT_RANK))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "groups have no ranks");
    return TV_OK;
}

static enum tv_code take_question(struct tv_request *request, struct question *question,
                                  struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    TV_TRY(tv_params_view(params, request->index, &question->view, err));
    TV_TRY(tv_params_sort(params, request->index, &question->view, TV_SORT_EXCLUSIVE,
                          &question->sort, err));
    question->count = DEFAULT_COUNT;
    TV_TRY(tv_params_u64(params, "offset", 0, UINT32_MAX, &question->offset, err));
    TV_TRY(tv_params_u64(params, "n", 0, UINT32_MAX, &question->count, err));
    TV_TRY(tv_params_truth(params, "ranks", &question->has_ranks, err));
    TV_TRY(tv_params_truth(params, "overhead", &question->has_overhead, err));
    TV_TRY(take_group(params, question, err));
    return tv_params_truth(params, "per_call", &question->has_percentiles, err);
}

static enum tv_code answer_groups(struct tv_request *request, const struct question *question,
                                  struct tv_error *err)
{
    const struct tv_top_groups groups = {.view = question->view,
                                         .kind = question->group,
                                         .parts = question->group_parts,
                                         .sort = question->sort,
                                         .offset = question->offset,
                                         .count = question->count};
    return tv_top_groups_answer(request, &groups, err);
}

static enum tv_code choose_methods(struct tv_request *request, const struct question *question,
                                   struct answer *answer, struct tv_error *err)
{
    const struct tv_index *index = request->index;
    struct tv_method_filter filter;
    tv_method_filter_init(&filter, request->alloc);
    enum tv_code code =
        tv_alloc_new(request->alloc, &answer->methods, index->method_count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code =
            tv_method_filter_make(&filter, index, question->view.match, question->view.hide, err);
    for (uint32_t i = 0; code == TV_OK && i < index->method_count; i++) {
        if (tv_profile_has(&answer->profile, i) && tv_method_filter_shows(&filter, i))
            answer->methods[answer->match_count++] = i;
    }
    tv_method_filter_release(&filter);
    if (code != TV_OK)
        return code;
    return tv_profile_order(&answer->profile, answer->methods, answer->match_count, &question->sort,
                            err);
}

/* What rows of the page have beside their numbers. */
static enum tv_code add_details(struct tv_request *request, const struct question *question,
                                struct answer *answer, struct tv_error *err)
{
    const struct tv_index *index = request->index;
    if (question->has_overhead && index->info->clock_overhead_ns && !index->info->is_sampled) {
        TV_TRY(tv_arena_take(request->arena, (index->method_count + 1) * sizeof(uint64_t),
                             &answer->calls_made, err));
        tv_calls_made(&answer->sums, answer->calls_made);
    }
    if (!question->has_percentiles)
        return TV_OK;
    TV_TRY(tv_arena_take(request->arena, (answer->page_len + 1) * sizeof(*answer->percentiles),
                         &answer->percentiles, err));
    const struct tv_percentiles_question asked = {&answer->profile, &answer->sums, answer->page,
                                                  answer->page_len, 0};
    return tv_percentiles_compute(&asked, request->api->pool, answer->percentiles, err);
}

static enum tv_code make_answer(struct tv_request *request, const struct question *question,
                                struct answer *answer, struct tv_error *err)
{
    TV_TRY(tv_sums_compute(&answer->sums, request->index, &question->view.selection,
                           request->api->pool, err));
    TV_TRY(tv_profile_of_sums(&answer->profile, &answer->sums, err));
    TV_TRY(choose_methods(request, question, answer, err));
    size_t offset =
        question->offset < answer->match_count ? (size_t)question->offset : answer->match_count;
    answer->page = answer->methods ? answer->methods + offset : NULL;
    answer->page_len = answer->match_count - offset;
    if (question->count && question->count < answer->page_len)
        answer->page_len = (size_t)question->count;
    return add_details(request, question, answer, err);
}

/* Where each method that matches stands, so that a page of rows can be asked for by place. */
static void write_ranks(struct tv_writer *writer, const struct answer *answer)
{
    tv_json_key(&writer->json, "ranks");
    tv_json_open_array(&writer->json);
    for (size_t i = 0; i < answer->match_count; i++)
        tv_json_u64(&writer->json, writer->index->methods[answer->methods[i]].rank);
    tv_json_close_array(&writer->json);
}

static enum tv_code write_answer(struct tv_request *request, const struct question *question,
                                 const struct answer *answer, struct tv_error *err)
{
    struct tv_writer writer;
    tv_writer_init(&writer, request->index, &request->response->body, request->alloc);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_write_clocks(&writer);
    tv_write_times(&writer, "total", answer->profile.total_ns);
    tv_json_key_u64(json, "count", answer->match_count);
    if (question->has_ranks)
        write_ranks(&writer, answer);
    tv_json_key(json, "methods");
    tv_json_open_array(json);
    for (size_t i = 0; i < answer->page_len; i++) {
        uint32_t method = answer->page[i];
        const struct tv_method_row *row = &answer->profile.rows[method];
        tv_json_open_object(json);
        tv_write_method(&writer, method);
        tv_write_method_numbers(&writer, row);
        if (answer->calls_made)
            tv_json_key_u64(json, "overhead_ns",
                            tv_overhead_ns(request->index, row, answer->calls_made[method]));
        if (answer->percentiles)
            tv_write_percentiles(&writer, "per_call", &answer->percentiles[i]);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct question question = {.count = 0};
    struct answer answer = {.methods = NULL};
    TV_TRY(take_question(request, &question, err));
    if (question.is_grouped)
        return answer_groups(request, &question, err);
    tv_sums_init(&answer.sums, request->alloc);
    tv_profile_init(&answer.profile, request->alloc);
    enum tv_code code = make_answer(request, &question, &answer, err);
    if (code == TV_OK)
        code = write_answer(request, &question, &answer, err);
    tv_alloc_free(request->alloc, answer.methods, request->index->method_count, sizeof(uint32_t));
    tv_profile_release(&answer.profile);
    tv_sums_release(&answer.sums);
    return code;
}

static const char *const params[] = {TV_VIEW_PARAMS, TV_SORT_PARAMS, "offset", "n",     "per_call",
                                     "ranks",        "overhead",     "group",  "parts", NULL};

const struct tv_route tv_route_top = {"top", TV_TYPE_JSON, params, run};
