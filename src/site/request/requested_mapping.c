/*
 * See site/request/requested_mapping.h. A mapping of somebody else, an id that is none and one that
 * has expired get the same answer.
 */
#include "site/request/requested_mapping.h"

#include <string.h>

#include "site/request/admission.h"
#include "site/request/requested_trace.h"
#include "store/trace_id.h"

static enum tv_code get(struct tv_request_context *context, struct tv_trace_row *row,
                        struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_id id;
    if (!tv_trace_id_read(context->found.parts.id, &id))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no mapping has this id");
    TV_TRY(db->get_trace(db->ctx, &id, context->now, &context->arena, row, err));
    if (row->kind != TV_KEPT_MAPPING)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no mapping has this id");
    context->right = tv_admission_right(context, row);
    return context->right != TV_RIGHT_NONE
               ? TV_OK
               : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no mapping has this id");
}

bool tv_requested_mapping_find(struct tv_request_context *context, struct tv_trace_row *row,
                               struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    if (!tv_admission_bearer(context->request).at && !context->client.user.len) {
        tv_request_context_refuse(
            context, 401, "this needs the mapping's owner token: Authorization: Bearer TOKEN",
            response);
        return false;
    }
    enum tv_code code = get(context, row, &err);
    if (code == TV_ERR_NOT_FOUND)
        tv_request_context_refuse(
            context, 404, "no mapping of yours has this address, or it was deleted or has expired",
            response);
    else if (code != TV_OK)
        tv_request_context_fail(context, &err, response);
    return code == TV_OK;
}

void tv_requested_mapping_write(const struct tv_request_context *context,
                                const struct tv_trace_row *row, struct tv_json *json)
{
    tv_requested_trace_begin(context, row, json);
    tv_json_key_str(json, "map_id", row->map_id);
    tv_json_key_str(json, "map_hash", row->map_hash);
    tv_json_key_truth(json, "for_all", row->is_for_all);
    tv_json_key_text(json, "sha256", row->raw.hex);
}
