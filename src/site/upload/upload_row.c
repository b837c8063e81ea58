/*
 * New rows; see site/upload/upload_row.h. A row has what the uploader says of the trace, a random
 * id, the hash of the owner token and a hash of the address; the token itself is told once, in the
 * answer.
 */
#include "site/upload/upload_row.h"

#include <string.h>

#include "os/clock.h"
#include "os/token.h"
#include "site/jobs/workers.h"
#include "site/log/metrics.h"
#include "site/request/project_rights.h"
#include "site/request/tokens.h"
#include "site/upload/body_receiver.h"
#include "store/trace_id.h"

struct tv_quota tv_upload_row_quota(const struct tv_request_context *context,
                                    const struct tv_project *project)
{
    const struct tv_site_config *config = context->site->config;
    struct tv_quota quota = {.bytes = {0}};
    quota.bytes[TV_QUOTA_STORE] = config->quota;
    quota.bytes[TV_QUOTA_ADDRESS] = config->quota_per_address;
    quota.bytes[TV_QUOTA_USER] = config->quota_per_user;
    quota.bytes[TV_QUOTA_PROJECT] = project ? project->quota : 0;
    return quota;
}

/* An upload that is acknowledged is to become a trace, so room for what its index may take is seen
 * to before. Two uploads at once may be let in on the same room: what is kept free is for that. */
enum tv_code tv_upload_row_room(const struct tv_request_context *context, unsigned copies,
                                uint64_t trace_bytes, struct tv_error *err)
{
    const struct tv_store *store = context->site->store;
    const uint64_t keep_free = context->site->config->keep_free;
    struct tv_file_sums sums;
    uint64_t free_bytes;
    if (!keep_free)
        return TV_OK;
    TV_TRY(store->db.sum_files(store->db.ctx, &sums, err));
    TV_TRY(tv_store_free_bytes(store, &free_bytes, err));
    uint64_t left = free_bytes > keep_free ? free_bytes - keep_free : 0;
    if (left / TV_SITE_INDEX_SHARE > sums.waiting_bytes &&
        (left - TV_SITE_INDEX_SHARE * sums.waiting_bytes) / (copies + TV_SITE_INDEX_SHARE) >=
            trace_bytes)
        return TV_OK;
    return tv_fail(
        err, TV_ERR_LIMIT, TV_NO_OFFSET,
        "the disk of the store is nearly full, and the rest is for what was taken before");
}

/* A client may bring the token of an earlier upload, so that all of its traces have one owner. */
static enum tv_code choose_token(const struct tv_request_context *context,
                                 const struct tv_fields *fields, char token[TV_TOKEN_LEN + 1],
                                 struct tv_error *err)
{
    struct tv_str given = tv_http_header(context->request, "X-Owner-Token");
    if (!given.at)
        given = fields->owner_token;
    if (!given.at)
        return tv_token_make(token, err);
    if (!tv_token_is(given))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "an owner token is 32 hexadecimal digits, as an upload before got them");
    memcpy(token, given.at, given.len);
    token[given.len] = '\0';
    return TV_OK;
}

/* Labels that were given; a label without a value does not count. */
static enum tv_code take_labels(struct tv_request_context *context, const struct tv_fields *fields,
                                struct tv_trace_row *row, struct tv_error *err)
{
    struct tv_label *labels;
    TV_TRY(tv_arena_take(&context->arena, sizeof(fields->labels), &labels, err));
    row->labels = labels;
    row->label_count = 0;
    for (size_t i = 0; i < fields->label_count; i++) {
        if (fields->labels[i].value.len)
            labels[row->label_count++] = fields->labels[i];
    }
    return TV_OK;
}

/* An address is kept as a hash: it is compared for quotas, and never shown. */
static void hash_address(const struct tv_request_context *context, struct tv_hash *hash)
{
    struct tv_address party = tv_address_party(&context->client.address);
    tv_token_hash((struct tv_str){(const char *)party.bytes, sizeof(party.bytes)}, hash);
}

/* Whose mapping names the traces of others must be somebody whom the site knows: on an open one
 * anybody could give the traces of all false names. */
static enum tv_code check_mapping(const struct tv_request_context *context,
                                  const struct tv_trace_row *row, struct tv_error *err)
{
    if (row->is_for_all && row->kind != TV_KEPT_MAPPING)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "for_all: is for mappings");
    if (row->keeps_names && row->kind == TV_KEPT_MAPPING)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "names: is for traces");
    if (row->is_for_all && context->site->config->uploads == TV_UPLOADS_OPEN &&
        !context->client.user.len)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "for_all: this site takes uploads of everybody, so a mapping is for the "
                       "traces of its own uploader");
    return TV_OK;
}

/* The address is kept as a hash, for quotas alone. */
enum tv_code tv_upload_row_fill(struct tv_request_context *context, const struct tv_fields *fields,
                                struct tv_trace_row *row, char token[TV_TOKEN_LEN + 1],
                                struct tv_error *err)
{
    *row = (struct tv_trace_row){
        .file_name = fields->file.at      ? fields->file
                     : fields->is_mapping ? TV_STR("mapping.txt")
                                          : TV_STR("unnamed.trace"),
        .title = fields->title,
        .note = fields->note,
        .created = context->now,
        .user = context->client.user,
        .is_raw_shared = fields->is_raw_shared,
        .counting = fields->counting,
        .keeps_names = fields->keeps_names,
        .kind = fields->is_mapping ? TV_KEPT_MAPPING : TV_KEPT_TRACE,
        .is_for_all = fields->is_for_all,
    };
    TV_TRY(check_mapping(context, row, err));
    TV_TRY(tv_trace_id_make(&row->id, row->created, tv_real_ns(), err));
    TV_TRY(choose_token(context, fields, token, err));
    tv_token_hash((struct tv_str){token, TV_TOKEN_LEN}, &row->owner);
    hash_address(context, &row->address);
    TV_TRY(take_labels(context, fields, row, err));
    TV_TRY(tv_project_admit(context, row->labels, row->label_count, err));
    const struct tv_project *project =
        tv_project_of(context->site->config, row->labels, row->label_count);
    row->expires = tv_project_expiry(context, project, fields);
    row->is_listed = fields->has_listed ? fields->is_listed : project && project->is_listed;
    return TV_OK;
}

/* The store's quota is the site's affair (507), others are the uploader's (429). */
void tv_upload_row_refuse(struct tv_request_context *context, enum tv_quota_of over,
                          const struct tv_error *err, struct tv_http_response *response)
{
    if (err->code == TV_ERR_LIMIT && over != TV_QUOTA_STORE)
        tv_request_context_refuse(context, 429, err->text, response);
    else
        tv_request_context_fail(context, err, response);
}

/* Counts the new trace and wakes a worker for it. */
void tv_upload_row_count(const struct tv_request_context *context, const struct tv_trace_row *row)
{
    tv_metrics_add(context->site->metrics, TV_COUNTER_UPLOADS, 1);
    tv_metrics_add(context->site->metrics, TV_COUNTER_UPLOADED_BYTES, row->bytes);
    tv_site_workers_wake(context->site->workers);
}

/* The end of every upload in one request, from whichever route it came. */
bool tv_upload_row_keep(struct tv_request_context *context, struct tv_requested_trace *requested,
                        char token[TV_TOKEN_LEN + 1], struct tv_http_response *response)
{
    struct tv_site *site = context->site;
    struct tv_body_receiver *receiver = context->receiver;
    struct tv_quota quota = {.bytes = {0}};
    enum tv_quota_of over = TV_QUOTA_STORE;
    struct tv_error err = {.code = TV_OK};
    if (!tv_body_receiver_end(receiver, response))
        return false;
    receiver->fields.is_mapping = receiver->is_mapping;
    enum tv_code code =
        tv_upload_row_fill(context, &receiver->fields, &requested->row, token, &err);
    requested->row.raw = receiver->raw;
    memcpy(requested->row.md5, receiver->md5, sizeof(receiver->md5));
    requested->row.bytes = receiver->arrival.bytes;
    requested->row.map_id = tv_str_from(receiver->head.id);
    requested->row.map_hash = tv_str_from(receiver->head.hash);
    if (code == TV_OK)
        quota = tv_upload_row_quota(context, tv_project_of(site->config, requested->row.labels,
                                                           requested->row.label_count));
    if (code == TV_OK)
        code = tv_upload_row_room(context, 0, requested->row.bytes, &err);
    if (code == TV_OK)
        code = tv_store_keep_trace(site->store, &receiver->arrival, &requested->row, site->build,
                                   &quota, context->now, &over, &err);
    if (code == TV_OK)
        code = tv_requested_trace_look(context, requested, &err);
    if (code != TV_OK) {
        tv_upload_row_refuse(context, over, &err, response);
        return false;
    }
    requested->is_owned = true;
    tv_upload_row_count(context, &requested->row);
    return true;
}
