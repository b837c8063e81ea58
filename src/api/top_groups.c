/* top with `group`; see api/top_groups.h. */
#include "api/top_groups.h"

#include "api/write.h"
#include "base/error.h"

static enum tv_code write_answer(struct tv_request *request, const struct tv_top_groups *question,
                                 const struct tv_profile *profile, const struct tv_groups *groups,
                                 struct tv_error *err)
{
    struct tv_writer writer;
    size_t offset = question->offset < groups->count ? (size_t)question->offset : groups->count;
    size_t count = groups->count - offset;
    if (question->count && question->count < count)
        count = (size_t)question->count;
    tv_writer_init(&writer, request->index, &request->response->body, request->alloc);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_write_clocks(&writer);
    tv_write_times(&writer, "total", profile->total_ns);
    tv_json_key_u64(json, "count", groups->count);
    tv_json_key(json, "groups");
    tv_json_open_array(json);
    for (size_t i = offset; i < offset + count; i++) {
        const struct tv_group_row *row = &groups->rows[i];
        tv_json_open_object(json);
        tv_json_key_str(json, "name", row->name);
        tv_json_key_u64(json, "methods", row->methods);
        tv_json_key_u64(json, "calls", row->numbers.calls);
        tv_write_times(&writer, "inclusive", row->numbers.inclusive_ns);
        tv_write_times(&writer, "exclusive", row->numbers.exclusive_ns);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

enum tv_code tv_top_groups_answer(struct tv_request *request, const struct tv_top_groups *question,
                                  struct tv_error *err)
{
    const struct tv_view *view = &question->view;
    struct tv_method_filter filter;
    struct tv_sums sums;
    struct tv_profile profile;
    struct tv_groups groups;
    const struct tv_groups_opts opts = {
        .kind = question->kind, .parts = question->parts, .filter = &filter};
    tv_method_filter_init(&filter, request->alloc);
    tv_sums_init(&sums, request->alloc);
    tv_profile_init(&profile, request->alloc);
    tv_groups_init(&groups, request->alloc);
    enum tv_code code =
        tv_method_filter_make(&filter, request->index, view->match, view->hide, err);
    if (code == TV_OK)
        code = tv_sums_compute(&sums, request->index, &view->selection, request->api->pool, err);
    if (code == TV_OK)
        code = tv_profile_of_sums(&profile, &sums, err);
    if (code == TV_OK)
        code = tv_groups_compute(&groups, &sums, &profile, &opts, err);
    if (code == TV_OK)
        code = tv_groups_order(&groups, &question->sort, err);
    if (code == TV_OK)
        code = write_answer(request, question, &profile, &groups, err);
    tv_groups_release(&groups);
    tv_profile_release(&profile);
    tv_sums_release(&sums);
    tv_method_filter_release(&filter);
    return code;
}
