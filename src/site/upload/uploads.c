/*
 * Resumable uploads; see site/upload/uploads.h.
 *
 * An upload is begun with its fields, grows by pieces at the offset where it ends, and is completed
 * into a trace. Each step may be repeated: a piece that arrived is not taken twice, and a completed
 * upload says again what it became. Only who has the owner token sees that the upload exists.
 */
#include "site/upload/uploads.h"

#include <stdio.h>
#include <string.h>

#include "site/request/admission.h"
#include "site/request/project_rights.h"
#include "site/request/tokens.h"
#include "site/upload/body_receiver.h"
#include "site/upload/digests.h"
#include "site/upload/mapping_head.h"
#include "site/upload/upload_row.h"
#include "site/upload/upload_sniff.h"
#include "store/trace_id.h"

static int64_t until(const struct tv_request_context *context)
{
    return context->now + (int64_t)context->site->config->upload_kept_s;
}

static void add_number(struct tv_http_response *response, const char *name, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    tv_http_add(response, name, text);
}

static void add_offset(const struct tv_upload *upload, struct tv_http_response *response)
{
    add_number(response, "Upload-Offset", upload->arrived);
    if (upload->trace.bytes)
        add_number(response, "Upload-Length", upload->trace.bytes);
}

/* The offset tells where to go on; it is the same in the header and in the body. */
static void send_upload(const struct tv_request_context *context, const struct tv_upload *upload,
                        int status, const char *token, struct tv_http_response *response)
{
    char url[TV_REQUEST_CONTEXT_PATH_CAP];
    struct tv_json json;
    (void)snprintf(url, sizeof(url), "%s/api/v1/uploads/%s", context->site->config->base_path,
                   upload->trace.id.hex);
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "id", upload->trace.id.hex);
    tv_json_key_text(&json, "url", url);
    tv_json_key_u64(&json, "offset", upload->arrived);
    tv_json_key(&json, "bytes");
    if (upload->trace.bytes)
        tv_json_u64(&json, upload->trace.bytes);
    else
        tv_json_null(&json);
    tv_json_key_u64(&json, "piece_most", context->site->config->max_piece);
    tv_json_key_i64(&json, "expires_s", upload->until);
    if (token)
        tv_json_key_text(&json, "owner_token", token);
    tv_json_close_object(&json);
    add_offset(upload, response);
    if (status == 201) {
        tv_http_add(response, "Location", url);
        tv_http_add(response, "X-Owner-Token", token);
    }
    tv_request_context_send_json(context, &json, status, response);
}

/* The fields of the query and of the body; a field that both have counts from the body. */
static enum tv_code read_fields(struct tv_request_context *context, struct tv_fields *fields,
                                struct tv_error *err)
{
    tv_fields_init(fields, &context->arena);
    TV_TRY(tv_fields_take_query(fields, context->query, err));
    TV_TRY(tv_fields_take_query(fields, context->request->body, err));
    if (fields->has_bytes && !fields->bytes)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the file is empty: nothing was recorded, or the copy failed");
    return TV_OK;
}

static bool is_too_long(const struct tv_request_context *context, uint64_t bytes,
                        struct tv_http_response *response)
{
    if (bytes <= context->site->config->max_upload)
        return false;
    tv_request_context_refuse(context, 413, "the file is longer than this site takes", response);
    return true;
}

/* What is known beforehand is checked beforehand: rate, right, length and quota. */
void tv_uploads_begin(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_quota quota;
    enum tv_quota_of over = TV_QUOTA_STORE;
    struct tv_error err = {.code = TV_OK};
    struct tv_upload upload = {.until = until(context)};
    char token[TV_TOKEN_LEN + 1];
    struct tv_fields fields;
    if (!tv_admission_upload_rate(context, response))
        return;
    enum tv_code code = read_fields(context, &fields, &err);
    if (code == TV_OK && !tv_admission_upload(context, &fields, response))
        return;
    if (code == TV_OK && is_too_long(context, fields.bytes, response))
        return;
    /* The parts, and the whole that they become. */
    if (code == TV_OK)
        code = tv_upload_row_room(context, 2, fields.bytes, &err);
    if (code == TV_OK)
        code = tv_upload_row_fill(context, &fields, &upload.trace, token, &err);
    if (code == TV_OK) {
        upload.trace.bytes = fields.bytes;
        quota =
            tv_upload_row_quota(context, tv_project_of(context->site->config, upload.trace.labels,
                                                       upload.trace.label_count));
        code = db->add_trace(db->ctx, &upload.trace, upload.until, &quota, &over, &err);
    }
    if (code == TV_OK)
        send_upload(context, &upload, 201, token, response);
    else
        tv_upload_row_refuse(context, over, &err, response);
}

/* Finds the upload of the path for its owner. For anybody else it does not exist, so that nobody
 * learns which ids are uploads. */
static bool find(struct tv_request_context *context, struct tv_upload *upload,
                 struct tv_http_response *response)
{
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_error err = {.code = TV_OK};
    struct tv_id id = {.hex = {0}};
    if (!tv_admission_bearer(context->request).at && !context->client.user.len) {
        tv_request_context_refuse(
            context, 401, "this needs the upload's token: Authorization: Bearer TOKEN", response);
        return false;
    }
    memcpy(id.hex, context->found.parts.id.at, sizeof(id.hex) - 1);
    enum tv_code code = db->get_upload(db->ctx, &id, context->now, &context->arena, upload, &err);
    if (code == TV_ERR_NOT_FOUND ||
        (code == TV_OK && !tv_admission_is_owner(context, &upload->trace))) {
        tv_request_context_refuse(context, 404,
                                  "no upload has this address, or it was not gone on with in time",
                                  response);
        return false;
    }
    if (code != TV_OK)
        tv_request_context_fail(context, &err, response);
    else
        context->project =
            tv_project_of(context->site->config, upload->trace.labels, upload->trace.label_count);
    return code == TV_OK;
}

void tv_uploads_tell(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_upload upload;
    if (find(context, &upload, response))
        send_upload(context, &upload, 200, NULL, response);
}

/* The parts go with the row; their files after the grace period. */
void tv_uploads_delete(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_error err = {.code = TV_OK};
    struct tv_upload upload;
    if (!find(context, &upload, response))
        return;
    if (db->drop_trace(db->ctx, &upload.trace.id, &err) == TV_OK)
        tv_request_context_send_done(response);
    else
        tv_request_context_fail(context, &err, response);
}

/* 409 with the offset where the next piece is to begin. */
static void refuse_offset(const struct tv_request_context *context, const struct tv_upload *upload,
                          struct tv_http_response *response)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "error", "the upload does not go on at this offset");
    tv_json_key_u64(&json, "offset", upload->arrived);
    tv_json_close_object(&json);
    add_offset(upload, response);
    tv_request_context_send_json(context, &json, 409, response);
}

/* How many bytes the upload may still take by this request; false: the response says what is wrong.
 */
static bool find_room(struct tv_request_context *context, const struct tv_upload *upload,
                      uint64_t *room, struct tv_http_response *response)
{
    const struct tv_site_config *config = context->site->config;
    uint64_t most = upload->trace.bytes ? upload->trace.bytes : config->max_upload;
    struct tv_str text = tv_http_header(context->request, "Upload-Offset");
    uint64_t offset;
    if (!text.at || !tv_str_to_u64(text, 10, &offset)) {
        tv_request_context_refuse(context, 400, "Upload-Offset: where the piece begins is wanted",
                                  response);
        return false;
    }
    if (offset != upload->arrived) {
        refuse_offset(context, upload, response);
        return false;
    }
    *room = most > offset ? most - offset : 0;
    *room = *room < config->max_piece ? *room : config->max_piece;
    return true;
}

/* The offset is remembered, since another request may bring bytes while this one does. */
enum tv_http_take tv_uploads_take(struct tv_request_context *context, struct tv_http_body_sink *how,
                                  struct tv_http_response *response)
{
    struct tv_upload upload;
    uint64_t room;
    if (!find(context, &upload, response) || !find_room(context, &upload, &room, response))
        return TV_HTTP_TAKE_REFUSED;
    context->upload_id = upload.trace.id;
    context->upload_offset = upload.arrived;
    return tv_body_receiver_begin(
        context,
        &(struct tv_body_receiver_opts){.kind = TV_BODY_RECEIVER_PIECE,
                                        .most = room,
                                        .told = upload.trace.bytes,
                                        .upload = &upload,
                                        .is_mapping = upload.trace.kind == TV_KEPT_MAPPING},
        how, response);
}

static enum tv_code keep_piece(struct tv_request_context *context, enum tv_quota_of *over,
                               struct tv_error *err)
{
    struct tv_body_receiver *receiver = context->receiver;
    struct tv_quota quota = tv_upload_row_quota(context, context->project);
    struct tv_part part = {.offset = context->upload_offset,
                           .len = receiver->arrival.bytes,
                           .file = receiver->raw,
                           .so_far = receiver->arrival.so_far};
    if (!part.len)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the piece has no bytes");
    TV_TRY(tv_upload_row_room(context, 1, part.offset + part.len, err)); /* the whole comes once */
    return tv_store_keep_part(context->site->store, &receiver->arrival, &context->upload_id, &part,
                              &quota, context->now, until(context), over, err);
}

/* A file that is no trace will not become one, so an upload without any other piece is dropped. */
static void drop_foreign(struct tv_request_context *context)
{
    const struct tv_store_db *db = &context->site->store->db;
    if (context->receiver->status == 415)
        (void)db->drop_empty_upload(db->ctx, &context->upload_id, NULL);
}

/* Two requests at one offset: one of them wins, and the other is told where to go on. */
void tv_uploads_add(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    enum tv_quota_of over = TV_QUOTA_STORE;
    struct tv_error err = {.code = TV_OK};
    struct tv_upload upload;
    if (!tv_body_receiver_end(context->receiver, response)) {
        drop_foreign(context);
        return;
    }
    enum tv_code code = keep_piece(context, &over, &err);
    if (code != TV_OK && code != TV_ERR_CONFLICT) {
        tv_upload_row_refuse(context, over, &err, response);
        return;
    }
    if (!find(context, &upload, response))
        return;
    if (code == TV_ERR_CONFLICT) { /* another request brought bytes at this offset meanwhile */
        refuse_offset(context, &upload, response);
        return;
    }
    add_offset(&upload, response);
    tv_request_context_send_done(response);
}

void tv_uploads_cut(struct tv_request_context *context)
{
    enum tv_quota_of over;
    if (tv_body_receiver_end_cut(context->receiver))
        (void)keep_piece(context, &over, NULL);
    else
        drop_foreign(context);
}

/* Finds the trace of an upload that was completed before. */
static bool find_completed(struct tv_request_context *context, struct tv_requested_trace *requested)
{
    struct tv_id id;
    return tv_trace_id_read(context->found.parts.id, &id) &&
           tv_requested_upload_get(context, &id, requested, NULL) == TV_OK && requested->is_owned;
}

static void send_completed(const struct tv_request_context *context,
                           const struct tv_requested_trace *requested, int status,
                           struct tv_http_response *response)
{
    char path[TV_REQUEST_CONTEXT_PATH_CAP];
    char token[TV_TOKEN_LEN + 1] = "";
    /* A bearer may be the token of a program, too, which is told to nobody. */
    const bool is_owner_token = context->right == TV_RIGHT_TOKEN;
    if (is_owner_token)
        memcpy(token, tv_admission_bearer(context->request).at, TV_TOKEN_LEN);
    tv_requested_trace_path(context, &requested->row, path);
    tv_http_add(response, "Location", path);
    tv_requested_trace_send(context, requested, status, is_owner_token ? token : NULL, response);
}

/* Reads the first bytes of what has arrived, as far as there is room. */
static enum tv_code read_first(const struct tv_store *store, const struct tv_upload *upload,
                               struct tv_buffer *first, struct tv_error *err)
{
    struct tv_part part;
    size_t count = 1;
    uint64_t at = 0;
    uint8_t *room;
    TV_TRY(tv_buffer_extend(first, TV_SNIFFING_LEN, &room, err));
    first->len = 0;
    while (count && first->len < TV_SNIFFING_LEN) {
        size_t len = 0;
        TV_TRY(store->db.get_parts(store->db.ctx, &upload->trace.id, at, &part, 1, &count, err));
        if (!count)
            break;
        TV_TRY(store->files.read(store->files.ctx, &part.file, 0, room + first->len,
                                 TV_SNIFFING_LEN - first->len, &len, err));
        first->len += len;
        at += part.len;
    }
    return TV_OK;
}

/* What a mapping says of itself is noted before it is there, so that it is never found without. */
static enum tv_code note_mapping(struct tv_request_context *context, const struct tv_upload *upload,
                                 int *status, struct tv_error *err)
{
    const struct tv_store *store = context->site->store;
    struct tv_mapping_head head;
    struct tv_buffer first;
    tv_buffer_init(&first, context->site->alloc);
    enum tv_code code = read_first(store, upload, &first, err);
    if (code == TV_OK) {
        code = tv_mapping_head_read(&head, context->site->alloc, tv_buffer_view(&first), err);
        *status = code == TV_ERR_FOREIGN ? 415 : 0;
    }
    tv_buffer_release(&first);
    TV_TRY(code);
    return store->db.note_mapping(store->db.ctx, &upload->trace.id, tv_str_from(head.id),
                                  tv_str_from(head.hash), err);
}

static const char other_sum[] = "the trace was completed with another SHA-256";

/* Makes the trace. *status is the HTTP status of the refusal if the error's code does not tell it.
 */
static enum tv_code finish(struct tv_request_context *context, const struct tv_upload *upload,
                           struct tv_requested_trace *requested, int *status, struct tv_error *err)
{
    struct tv_site *site = context->site;
    struct tv_hash sum;
    bool has_sum;
    TV_TRY(tv_digests_find(context->request, TV_DIGEST_OF_FILE, &has_sum, &sum, err));
    if (!upload->arrived)
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "no bytes have arrived yet");
    if (upload->trace.kind == TV_KEPT_MAPPING)
        TV_TRY(note_mapping(context, upload, status, err));
    enum tv_code code = tv_store_finish_upload(
        site->store, &upload->trace.id, has_sum ? &sum : NULL, site->build, context->now, err);
    if (code == TV_ERR_ARGUMENT)
        *status = 422;
    if (code != TV_OK)
        return code;
    TV_TRY(tv_requested_upload_get(context, &upload->trace.id, requested, err));
    if (has_sum &&
        strcmp(sum.hex, requested->row.raw.hex) != 0) { /* another request completed the upload */
        *status = 422;
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s", other_sum);
    }
    tv_upload_row_count(context, &requested->row);
    return TV_OK;
}

/* Answers a repeated completion. The sum is compared again: a client that names another sum has
 * other bytes. */
static void complete_again(struct tv_request_context *context,
                           const struct tv_requested_trace *requested,
                           struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_hash sum;
    bool has_sum;
    if (tv_digests_find(context->request, TV_DIGEST_OF_FILE, &has_sum, &sum, &err) != TV_OK)
        tv_request_context_fail(context, &err, response);
    else if (has_sum && strcmp(sum.hex, requested->row.raw.hex) != 0)
        tv_request_context_refuse(context, 422, other_sum, response);
    else
        send_completed(context, requested, 200, response);
}

/* May be asked twice, since a client that heard no answer asks again; the second time gives the
 * same trace. */
void tv_uploads_complete(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_upload upload;
    struct tv_requested_trace requested;
    int status = 0;
    if (find_completed(context, &requested)) {
        complete_again(context, &requested, response);
        return;
    }
    if (!find(context, &upload, response))
        return;
    if (finish(context, &upload, &requested, &status, &err) == TV_OK)
        send_completed(context, &requested, 201, response);
    else if (status)
        tv_request_context_refuse(context, status, err.text, response);
    else
        tv_request_context_fail(context, &err, response);
}
