/* callers: who calls a method and what it calls, in the old viewer's four groups. */
#include "analysis/profile/relations.h"
#include "api/route.h"
#include "api/write.h"
#include "base/error.h"

static void write_group(struct tv_writer *writer, const struct tv_relation_rows *group,
                        enum tv_relation relation)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, tv_relation_name(relation));
    tv_json_open_array(json);
    for (size_t i = 0; i < group->count; i++) {
        const struct tv_relation_row *row = &group->rows[i];
        tv_json_open_object(json);
        tv_write_method(writer, row->method);
        tv_json_key_u64(json, "calls", row->numbers.calls);
        tv_json_key_u64(json, "of_calls", row->of_calls);
        tv_write_times(writer, "inclusive", row->numbers.inclusive_ns);
        tv_write_times(writer, "exclusive", row->numbers.exclusive_ns);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

static enum tv_code write_answer(struct tv_request *request, const struct tv_profile *profile,
                                 const struct tv_relations *relations, uint32_t method_ix,
                                 struct tv_error *err)
{
    struct tv_writer writer;
    tv_writer_init(&writer, request->index, &request->response->body, request->alloc);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_write_clocks(&writer);
    tv_write_times(&writer, "total", profile->total_ns);
    tv_json_key(json, "method");
    tv_json_open_object(json);
    tv_write_method(&writer, method_ix);
    tv_write_method_numbers(&writer, &profile->rows[method_ix]);
    tv_json_close_object(json);
    tv_write_times(&writer, "self", relations->self.exclusive_ns);
    for (unsigned i = 0; i < TV_RELATION_COUNT; i++)
        write_group(&writer, &relations->groups[i], (enum tv_relation)i);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_view view;
    struct tv_profile_sort sort;
    uint32_t method_ix;
    struct tv_sums sums;
    struct tv_profile profile;
    struct tv_relations relations;
    TV_TRY(tv_params_view(&request->params, request->index, &view, err));
    TV_TRY(tv_params_sort(&request->params, request->index, &view, TV_SORT_INCLUSIVE, &sort, err));
    TV_TRY(tv_params_method(&request->params, "method", request->index, &method_ix, err));
    tv_sums_init(&sums, request->alloc);
    tv_profile_init(&profile, request->alloc);
    tv_relations_init(&relations, request->alloc);
    enum tv_code code =
        tv_sums_compute(&sums, request->index, &view.selection, request->api->pool, err);
    if (code == TV_OK)
        code = tv_profile_of_sums(&profile, &sums, err);
    if (code == TV_OK)
        code = tv_relations_compute(&relations, &sums, &profile, method_ix, &sort, err);
    if (code == TV_OK)
        code = write_answer(request, &profile, &relations, method_ix, err);
    tv_relations_release(&relations);
    tv_profile_release(&profile);
    tv_sums_release(&sums);
    return code;
}

static const char *const params[] = {TV_VIEW_PARAMS, TV_SORT_PARAMS, "method", NULL};

const struct tv_route tv_route_callers = {"callers", TV_TYPE_JSON, params, run};
