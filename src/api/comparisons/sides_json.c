/*
 * Answers about two traces as one JSON object; see api/comparisons/sides_json.h. The answers are
 * those of the routes, byte for byte, so whoever reads one trace's answer reads both of these.
 */
#include "api/comparisons/sides_json.h"

#include "base/str.h"

static enum tv_code add_text(struct tv_buffer *body, const char *text, struct tv_error *err)
{
    struct tv_str of = tv_str_from(text);
    return tv_buffer_append(body, of.at, of.len, err);
}

/* An answer replaces what its buffer has, so it is made in one of its own. The newline behind it
 * is left out. */
static enum tv_code add_answer(const struct tv_api *api, const struct tv_sides_plan *plan,
                               enum tv_side side, size_t meant, struct tv_buffer *body,
                               struct tv_error *err)
{
    struct tv_api of = *api;
    const char *const key = side == TV_SIDE_OLD ? ",\"old\":" : ",\"new\":";
    struct tv_buffer answer;
    of.meant = meant;
    tv_buffer_init(&answer, api->alloc);
    enum tv_code code = plan->answer_side ? plan->answer_side(&of, plan->ctx, side, &answer, err)
                                          : plan->answer(&of, &answer, err);
    if (code == TV_OK)
        code = add_text(body, key, err);
    if (code == TV_OK)
        code = tv_buffer_append(body, answer.bytes, answer.len - 1, err);
    tv_buffer_release(&answer);
    return code;
}

enum tv_code tv_sides_json(const struct tv_api *api, size_t old_trace,
                           const struct tv_sides_plan *plan, struct tv_buffer *body,
                           struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key(&json, plan->key);
    plan->write(&json, plan->ctx);
    tv_json_close_object(&json);
    TV_TRY(tv_json_finish(&json, err));
    body->len -= 2; /* "}" and the newline */
    TV_TRY(add_answer(api, plan, TV_SIDE_OLD, old_trace, body, err));
    TV_TRY(add_answer(api, plan, TV_SIDE_NEW, api->meant, body, err));
    return add_text(body, "}\n", err);
}
