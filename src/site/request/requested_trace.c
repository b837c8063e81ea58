/*
 * Traces as the store knows them; see site/request/requested_trace.h.
 *
 * A requested trace is its row, its job and whether the request has the owner's token. An id that
 * is no trace and a trace that has expired get the same answer. Asking for the job also queues it
 * where it is missing, as after an update of the program.
 */
#include "site/request/requested_trace.h"

#include <stdio.h>
#include <string.h>

#include "site/jobs/trace_figures.h"
#include "site/request/admission.h"
#include "site/request/project_rights.h"
#include "site/request/requested_mapping.h"
#include "store/trace_id.h"

enum tv_code tv_requested_trace_none(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "no trace has this address, or it was deleted or has expired");
}

enum tv_code tv_requested_trace_look(struct tv_request_context *context,
                                     struct tv_requested_trace *requested, struct tv_error *err)
{
    if (requested->row.kind == TV_KEPT_MAPPING)
        return TV_OK; /* it has no index */
    return tv_store_want_index(context->site->store, &requested->row, context->site->build, true,
                               context->now, &requested->named_by, &requested->job, err);
}

/* The row as of that time, with the right to it. */
static enum tv_code get_row(struct tv_request_context *context, const struct tv_id *id, int64_t now,
                            struct tv_requested_trace *requested, struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    enum tv_code code = db->get_trace(db->ctx, id, now, &context->arena, &requested->row, err);
    if (code != TV_OK)
        return code == TV_ERR_NOT_FOUND ? tv_requested_trace_none(err) : code;
    context->right = tv_admission_right(context, &requested->row);
    requested->is_owned = context->right != TV_RIGHT_NONE;
    /* Somebody who may not see a trace of a project does not learn whether it exists. */
    if (!requested->is_owned && !tv_project_may_read(context, &requested->row))
        return tv_requested_trace_none(err);
    return TV_OK;
}

enum tv_code tv_requested_upload_get(struct tv_request_context *context, const struct tv_id *id,
                                     struct tv_requested_trace *requested, struct tv_error *err)
{
    TV_TRY(get_row(context, id, context->now, requested, err));
    enum tv_code code = tv_requested_trace_look(context, requested, err);
    return code == TV_ERR_NOT_FOUND ? tv_requested_trace_none(err) : code; /* it went meanwhile */
}

enum tv_code tv_requested_trace_get(struct tv_request_context *context, const struct tv_id *id,
                                    struct tv_requested_trace *requested, struct tv_error *err)
{
    TV_TRY(tv_requested_upload_get(context, id, requested, err));
    if (requested->row.kind == TV_KEPT_TRACE)
        return TV_OK;
    context->right = TV_RIGHT_NONE;
    return tv_requested_trace_none(err);
}

enum tv_code tv_requested_trace_of_path(struct tv_request_context *context,
                                        struct tv_requested_trace *requested, struct tv_error *err)
{
    struct tv_id id;
    if (!tv_trace_id_read(context->found.parts.id, &id))
        return tv_requested_trace_none(err);
    return tv_requested_trace_get(context, &id, requested, err);
}

/* Whether it was found; else the response says why not. */
static bool tell_found(struct tv_request_context *context, enum tv_code code,
                       const struct tv_error *err, struct tv_http_response *response)
{
    if (code != TV_OK)
        tv_request_context_fail(context, err, response);
    return code == TV_OK;
}

bool tv_requested_trace_find(struct tv_request_context *context,
                             struct tv_requested_trace *requested,
                             struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    return tell_found(context, tv_requested_trace_of_path(context, requested, &err), &err,
                      response);
}

/* 401 asks for a token, 403 says that it is the wrong one. */
static bool hold_owner(const struct tv_request_context *context,
                       const struct tv_requested_trace *requested,
                       struct tv_http_response *response)
{
    if (!requested->is_owned) {
        bool has_token =
            tv_admission_bearer(context->request).at != NULL && !context->client.is_program;
        bool has_user = context->client.user.len > 0;
        tv_request_context_refuse(
            context, has_token || has_user ? 403 : 401,
            has_token  ? "this is not the trace's owner token"
            : has_user ? "this trace is another user's: its owner token is wanted"
                       : "this needs the trace's owner token: Authorization: Bearer TOKEN",
            response);
    }
    return requested->is_owned;
}

bool tv_requested_trace_find_owned(struct tv_request_context *context,
                                   struct tv_requested_trace *requested,
                                   struct tv_http_response *response)
{
    return tv_requested_trace_find(context, requested, response) &&
           hold_owner(context, requested, response);
}

/* To others a trace that has expired is none. */
static enum tv_code get_over(struct tv_request_context *context,
                             struct tv_requested_trace *requested, struct tv_error *err)
{
    struct tv_id id;
    if (!tv_trace_id_read(context->found.parts.id, &id))
        return tv_requested_trace_none(err);
    TV_TRY(get_row(context, &id, 0, requested, err));
    requested->job = (struct tv_job){.created = 0};
    return requested->is_owned && requested->row.kind == TV_KEPT_TRACE
               ? TV_OK
               : tv_requested_trace_none(err);
}

bool tv_requested_trace_find_kept(struct tv_request_context *context,
                                  struct tv_requested_trace *requested,
                                  struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = tv_requested_trace_of_path(context, requested, &err);
    if (code == TV_ERR_NOT_FOUND)
        code = get_over(context, requested, &err);
    return tell_found(context, code, &err, response) && hold_owner(context, requested, response);
}

bool tv_requested_trace_is_over(const struct tv_request_context *context,
                                const struct tv_requested_trace *requested)
{
    return requested->row.expires && requested->row.expires <= context->now;
}

/* Whether the index is there; false: the response says that it is being made, or why it cannot be.
 */
bool tv_requested_trace_is_ready(const struct tv_request_context *context,
                                 const struct tv_requested_trace *requested,
                                 struct tv_http_response *response)
{
    switch (requested->job.state) {
    case TV_JOB_DONE:
        return true;
    case TV_JOB_BAD:
        tv_request_context_refuse(context, 422, requested->job.reason, response);
        return false;
    case TV_JOB_QUEUED:
    case TV_JOB_TAKEN:
        break;
    }
    tv_request_context_refuse(context, 409, "the trace is being processed: ask again soon",
                              response);
    tv_http_add(response, "Retry-After", "1");
    return false;
}

bool tv_requested_trace_find_ready(struct tv_request_context *context,
                                   struct tv_requested_trace *requested,
                                   struct tv_http_response *response)
{
    return tv_requested_trace_find(context, requested, response) &&
           tv_requested_trace_is_ready(context, requested, response);
}

/* The states of a job, in the words of documents. */
struct tv_document_trace tv_requested_trace_page(const struct tv_requested_trace *requested)
{
    static const enum tv_document_trace_state states[] = {
        [TV_JOB_QUEUED] = TV_TRACE_QUEUED,
        [TV_JOB_TAKEN] = TV_TRACE_PROCESSING,
        [TV_JOB_DONE] = TV_TRACE_READY,
        [TV_JOB_BAD] = TV_TRACE_FAILED,
    };
    return (struct tv_document_trace){.row = &requested->row,
                                      .state = states[requested->job.state],
                                      .is_owned = requested->is_owned,
                                      .reason = tv_str_from(requested->job.reason)};
}

/* A name that has no room can only come from a database that another build wrote; the trace goes
 * without a name then, rather than under half of one. */
struct tv_stored_trace tv_requested_trace_stored(const struct tv_requested_trace *requested,
                                                 char file_name[TV_KNOWN_NAME])
{
    size_t len = requested->row.file_name.len < TV_KNOWN_NAME ? requested->row.file_name.len : 0;
    memcpy(file_name, requested->row.file_name.at, len);
    file_name[len] = '\0';
    return (struct tv_stored_trace){.raw_hash = requested->row.raw.hex,
                                    .index_hash = requested->job.index.hex,
                                    .mappings = requested->job.mappings,
                                    .raw_len = requested->row.bytes,
                                    .file_name = file_name};
}

/* Keys are the uploader's texts. They are copied to end with NUL, as the writer's keys must; is_key
 * in fields.c allows letters that need no escape. */
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

void tv_requested_trace_path(const struct tv_request_context *context,
                             const struct tv_trace_row *row, char path[TV_REQUEST_CONTEXT_PATH_CAP])
{
    const bool is_mapping = row->kind == TV_KEPT_MAPPING;
    (void)snprintf(path, TV_REQUEST_CONTEXT_PATH_CAP, "%s%s%s%s", context->site->config->base_path,
                   is_mapping ? "/api/v1/mappings/" : "/trace/", row->id.hex,
                   is_mapping ? "" : "/");
}

void tv_requested_trace_begin(const struct tv_request_context *context,
                              const struct tv_trace_row *row, struct tv_json *json)
{
    char url[TV_REQUEST_CONTEXT_PATH_CAP];
    tv_requested_trace_path(context, row, url);
    tv_json_key_text(json, "id", row->id.hex);
    tv_json_key_text(json, "url", url);
    tv_json_key_str(json, "file", row->file_name);
    tv_json_key_str(json, "title", row->title);
    tv_json_key_str(json, "note", row->note);
    write_labels(row, json);
    tv_json_key_u64(json, "bytes", row->bytes);
    tv_json_key_i64(json, "created_s", row->created);
    write_time(json, "expires_s", row->expires);
}

/* By which mapping the names are; null: none was tried. */
static void write_names(const struct tv_requested_trace *requested, struct tv_json *json)
{
    struct tv_names_told told;
    tv_json_key(json, "names");
    if (!tv_requested_trace_names(requested, &told)) {
        tv_json_null(json);
        return;
    }
    bool is_by_build = told.by == TV_CHOICE_BY_NAMES && requested->named_by == TV_NAMED_BY_BUILD;
    tv_json_open_object(json);
    tv_json_key_text(json, "by",
                     told.is_failed ? "failed"
                     : is_by_build  ? "build"
                                    : tv_names_ways[told.by]);
    tv_json_key_u64(json, "renamed", told.renamed);
    tv_json_key_u64(json, "asked", told.asked);
    tv_json_key_u64(json, "known", told.known);
    if (requested->is_owned && told.file.hex[0])
        tv_json_key_text(json, "mapping_sha256", told.file.hex);
    tv_json_close_object(json);
}

bool tv_requested_trace_names(const struct tv_requested_trace *requested,
                              struct tv_names_told *told)
{
    return requested->job.state == TV_JOB_DONE && tv_names_told_read(requested->job.reason, told);
}

/* The SHA-256 of the file is told to the owner only: it would let others find out who has the same
 * file. */
void tv_requested_trace_write(const struct tv_request_context *context,
                              const struct tv_requested_trace *requested, struct tv_json *json)
{
    if (requested->row.kind == TV_KEPT_MAPPING) {
        tv_requested_mapping_write(context, &requested->row, json);
        return;
    }
    static const char *const states[] = {
        [TV_JOB_QUEUED] = "queued",
        [TV_JOB_TAKEN] = "processing",
        [TV_JOB_DONE] = "ready",
        [TV_JOB_BAD] = "failed",
    };
    const struct tv_trace_row *row = &requested->row;
    tv_requested_trace_begin(context, row, json);
    tv_json_key(json, "md5");
    if (row->md5[0])
        tv_json_text(json, row->md5);
    else
        tv_json_null(json);
    tv_json_key_text(json, "state", states[requested->job.state]);
    if (requested->job.state == TV_JOB_BAD)
        tv_json_key_text(json, "reason", requested->job.reason);
    write_names(requested, json);
    tv_trace_figures_write(&row->figures, json);
    tv_json_key_truth(json, "raw_shared", row->is_raw_shared);
    tv_json_key_truth(json, "listed", row->is_listed);
    tv_json_key(json, "rows");
    if (row->counting == TV_COUNTING_UNSAID)
        tv_json_null(json);
    else
        tv_json_truth(json, row->counting == TV_COUNTING_YES);
    tv_json_key_truth(json, "owner", requested->is_owned);
    if (requested->is_owned)
        tv_json_key_text(json, "sha256", row->raw.hex);
}

void tv_requested_trace_send(const struct tv_request_context *context,
                             const struct tv_requested_trace *requested, int status,
                             const char *owner_token, struct tv_http_response *response)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_requested_trace_write(context, requested, &json);
    if (owner_token)
        tv_json_key_text(&json, "owner_token", owner_token);
    tv_json_close_object(&json);
    tv_request_context_send_json(context, &json, status, response);
}
