/*
 * checkdiff: the findings of two traces beside each other, and below them the whole answer of
 * `check` about each; see api/comparisons/check_diff.h. Kinds have the order of `check`, which is
 * that of a file.
 */
#include "api/comparisons/check_diff.h"

#include "api/answers.h"
#include "api/comparisons/sides_json.h"
#include "api/route.h"
#include "api/trace_pair.h"

uint64_t tv_check_diff_count(const struct tv_check_diff *diff, enum tv_side side,
                             enum tv_finding_kind kind)
{
    return diff->sides[side]->findings.of[kind].count;
}

const char *tv_check_diff_standing(const struct tv_check_diff *diff, enum tv_finding_kind kind)
{
    uint64_t before = tv_check_diff_count(diff, TV_SIDE_OLD, kind);
    uint64_t now = tv_check_diff_count(diff, TV_SIDE_NEW, kind);
    if (!before || !now)
        return before ? "gone" : "new";
    if (before == now)
        return "as often";
    return now > before ? "more" : "fewer";
}

bool tv_check_diff_is_on_any(const struct tv_check_diff *diff, enum tv_finding_kind kind)
{
    return tv_check_diff_count(diff, TV_SIDE_OLD, kind) ||
           tv_check_diff_count(diff, TV_SIDE_NEW, kind);
}

bool tv_check_diff_is_worse(const struct tv_check_diff *diff, enum tv_notes notes)
{
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        bool is_new = !tv_check_diff_count(diff, TV_SIDE_OLD, kind) &&
                      tv_check_diff_count(diff, TV_SIDE_NEW, kind);
        if (is_new && (notes == TV_NOTES_COUNT || tv_finding_severity(kind) != TV_SEVERITY_NOTE))
            return true;
    }
    return !diff->sides[TV_SIDE_NEW]->records;
}

static void write_changes(struct tv_json *json, const void *ctx)
{
    const struct tv_check_diff *diff = ctx;
    tv_json_open_array(json);
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        if (!tv_check_diff_is_on_any(diff, kind))
            continue;
        tv_json_open_object(json);
        tv_json_key_text(json, "finding", tv_finding_name(kind));
        tv_json_key_text(json, "severity", tv_severity_name(tv_finding_severity(kind)));
        tv_json_key_text(json, "change", tv_check_diff_standing(diff, kind));
        tv_json_key_u64(json, "old", tv_check_diff_count(diff, TV_SIDE_OLD, kind));
        tv_json_key_u64(json, "new", tv_check_diff_count(diff, TV_SIDE_NEW, kind));
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

enum tv_code tv_answer_check_diff(const struct tv_api *api, size_t old_trace,
                                  struct tv_buffer *body, struct tv_error *err)
{
    const struct tv_check_diff diff = {{[TV_SIDE_OLD] = api->traces[old_trace].index->info,
                                        [TV_SIDE_NEW] = tv_api_meant(api)->index->info}};
    const struct tv_sides_plan plan = {
        .key = "changes", .write = write_changes, .ctx = &diff, .answer = tv_answer_check};
    return tv_sides_json(api, old_trace, &plan, body, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    size_t old_trace;
    TV_TRY(tv_trace_pair_find_old(request, &old_trace, err));
    return tv_answer_check_diff(request->api, old_trace, &request->response->body, err);
}

static const char *const params[] = {"old", NULL};

const struct tv_route tv_route_checkdiff = {"checkdiff", TV_TYPE_JSON, params, run};
