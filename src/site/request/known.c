/* Traces as the store knows them; see site/request/known.h. */
#include "site/request/known.h"

#include <stdio.h>
#include <string.h>

#include "os/token.h"
#include "site/request/admission.h"

enum tv_code tv_known_look(struct tv_asked *asked, struct tv_known *known, struct tv_error *err)
{
    const struct tv_store_db *db = &asked->site->store->db;
    return db->want_job(db->ctx, &known->row.raw, asked->site->build, asked->now, &known->job, err);
}

enum tv_code tv_known_get(struct tv_asked *asked, const struct tv_id *id, struct tv_known *known,
                          struct tv_error *err)
{
    const struct tv_store_db *db = &asked->site->store->db;
    TV_TRY(db->get_trace(db->ctx, id, asked->now, &asked->arena, &known->row, err));
    known->is_owned = tv_admission_is_owner(asked, &known->row);
    return tv_known_look(asked, known, err);
}

enum tv_code tv_known_of_path(struct tv_asked *asked, struct tv_known *known, struct tv_error *err)
{
    struct tv_id id;
    if (!tv_token_is(asked->found.parts.id)) /* an id looks like a token */
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no trace has this id");
    memcpy(id.hex, asked->found.parts.id.at, sizeof(id.hex) - 1);
    id.hex[sizeof(id.hex) - 1] = '\0';
    return tv_known_get(asked, &id, known, err);
}

bool tv_known_find(struct tv_asked *asked, struct tv_known *known,
                   struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = tv_known_of_path(asked, known, &err);
    if (code == TV_ERR_NOT_FOUND)
        tv_asked_refuse(asked, 404, "no trace has this address, or it was deleted or has expired",
                        response);
    else if (code != TV_OK)
        tv_asked_fail(asked, &err, response);
    return code == TV_OK;
}

bool tv_known_find_owned(struct tv_asked *asked, struct tv_known *known,
                         struct tv_http_response *response)
{
    if (!tv_known_find(asked, known, response))
        return false;
    if (!known->is_owned) {
        bool has_token = tv_admission_bearer(asked->request).at != NULL;
        tv_asked_refuse(asked, has_token ? 403 : 401,
                        has_token
                            ? "this is not the trace's owner token"
                            : "this needs the trace's owner token: Authorization: Bearer TOKEN",
                        response);
    }
    return known->is_owned;
}

bool tv_known_is_ready(const struct tv_asked *asked, const struct tv_known *known,
                       struct tv_http_response *response)
{
    switch (known->job.state) {
    case TV_JOB_DONE:
        return true;
    case TV_JOB_BAD:
        tv_asked_refuse(asked, 422, known->job.reason, response);
        return false;
    case TV_JOB_QUEUED:
    case TV_JOB_TAKEN:
        break;
    }
    tv_asked_refuse(asked, 409, "the trace is being processed: ask again soon", response);
    tv_http_add(response, "Retry-After", "1");
    return false;
}

bool tv_known_find_ready(struct tv_asked *asked, struct tv_known *known,
                         struct tv_http_response *response)
{
    return tv_known_find(asked, known, response) && tv_known_is_ready(asked, known, response);
}

struct tv_page_trace tv_known_page(const struct tv_known *known)
{
    static const enum tv_page_trace_state states[] = {
        [TV_JOB_QUEUED] = TV_TRACE_QUEUED,
        [TV_JOB_TAKEN] = TV_TRACE_PROCESSING,
        [TV_JOB_DONE] = TV_TRACE_READY,
        [TV_JOB_BAD] = TV_TRACE_FAILED,
    };
    return (struct tv_page_trace){.row = &known->row,
                                  .state = states[known->job.state],
                                  .reason = tv_str_from(known->job.reason)};
}

struct tv_stored_trace tv_known_stored(const struct tv_known *known, char file_name[TV_KNOWN_NAME])
{
    size_t len = known->row.file_name.len < TV_KNOWN_NAME ? known->row.file_name.len : 0;
    memcpy(file_name, known->row.file_name.at, len);
    file_name[len] = '\0';
    return (struct tv_stored_trace){.raw_hash = known->row.raw.hex,
                                    .index_hash = known->job.index.hex,
                                    .raw_len = known->row.bytes,
                                    .file_name = file_name};
}

/* Keys are texts of the uploader's, so they are written as values are: the writer takes keys of
 * ours alone. */
static void write_labels(const struct tv_trace_row *row, struct tv_json *json)
{
    tv_json_key(json, "labels");
    tv_json_open_object(json);
    for (size_t i = 0; i < row->label_count; i++) {
        char key[TV_STORE_LABEL_KEY_MOST + 1];
        size_t len = row->labels[i].key.len;
        memcpy(key, row->labels[i].key.at, len);
        key[len] = '\0';
        tv_json_key_str(json, key, row->labels[i].value);
    }
    tv_json_close_object(json);
}

static void write_time(struct tv_json *json, const char *key, int64_t time)
{
    if (time) {
        tv_json_key_i64(json, key, time);
        return;
    }
    tv_json_key(json, key);
    tv_json_null(json);
}

static void write_url(const struct tv_asked *asked, const struct tv_id *id, struct tv_json *json)
{
    char url[TV_ASKED_PATH_CAP];
    (void)snprintf(url, sizeof(url), "%s/trace/%s/", asked->site->config->base_path, id->hex);
    tv_json_key_text(json, "url", url);
}

void tv_known_write(const struct tv_asked *asked, const struct tv_known *known,
                    struct tv_json *json)
{
    static const char *const states[] = {
        [TV_JOB_QUEUED] = "queued",
        [TV_JOB_TAKEN] = "processing",
        [TV_JOB_DONE] = "ready",
        [TV_JOB_BAD] = "failed",
    };
    const struct tv_trace_row *row = &known->row;
    tv_json_key_text(json, "id", row->id.hex);
    write_url(asked, &row->id, json);
    tv_json_key_str(json, "file", row->file_name);
    tv_json_key_str(json, "title", row->title);
    tv_json_key_str(json, "note", row->note);
    write_labels(row, json);
    tv_json_key_u64(json, "bytes", row->bytes);
    tv_json_key_text(json, "md5", row->md5);
    tv_json_key_i64(json, "created_s", row->created);
    write_time(json, "expires_s", row->expires);
    tv_json_key_text(json, "state", states[known->job.state]);
    if (known->job.state == TV_JOB_BAD)
        tv_json_key_text(json, "reason", known->job.reason);
    tv_json_key_truth(json, "raw_shared", row->is_raw_shared);
    tv_json_key_truth(json, "listed", row->is_listed);
    tv_json_key_truth(json, "owner", known->is_owned);
    if (known->is_owned)
        tv_json_key_text(json, "sha256", row->raw.hex);
}

void tv_known_send(const struct tv_asked *asked, const struct tv_known *known, int status,
                   const char *owner_token, struct tv_http_response *response)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_known_write(asked, known, &json);
    if (owner_token)
        tv_json_key_text(&json, "owner_token", owner_token);
    tv_json_close_object(&json);
    tv_asked_send_json(asked, &json, status, response);
}
