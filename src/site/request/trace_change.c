/*
 * Changes of a trace; see site/request/trace_change.h. A change names only what changes; the store
 * keeps the rest. The row is read again afterwards, so that the answer has what is kept.
 */
#include "site/request/trace_change.h"

#include "site/request/project_rights.h"

static const struct tv_label *find_label(const struct tv_label *labels, size_t count,
                                         struct tv_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (tv_str_equal(labels[i].key, key))
            return &labels[i];
    }
    return NULL;
}

/* The labels of the trace, with those of the change in their place; a label with an empty value is
 * taken away. */
static enum tv_code join_labels(const struct tv_fields *fields, const struct tv_trace_row *row,
                                struct tv_label *joined, size_t *count, struct tv_error *err)
{
    *count = 0;
    for (size_t i = 0; i < row->label_count; i++) {
        if (!find_label(fields->labels, fields->label_count, row->labels[i].key))
            joined[(*count)++] = row->labels[i];
    }
    for (size_t i = 0; i < fields->label_count; i++) {
        if (!fields->labels[i].value.len)
            continue;
        if (*count == TV_STORE_LABELS_MOST)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "label_KEY: a trace has at most %u labels", TV_STORE_LABELS_MOST);
        joined[(*count)++] = fields->labels[i];
    }
    return TV_OK;
}

/* A form sends what was there before, too: a trace stays in its project, whoever changes the rest.
 */
static enum tv_code admit_project(const struct tv_request_context *context,
                                  const struct tv_fields *fields, const struct tv_trace_row *row,
                                  struct tv_error *err)
{
    struct tv_str wanted = tv_label_value(fields->labels, fields->label_count, "project");
    if (tv_str_equal(wanted, tv_label_value(row->labels, row->label_count, "project")))
        return TV_OK;
    return tv_project_admit(context, fields->labels, fields->label_count, err);
}

/* No trace stays in a project for longer than the project says, also one that comes later. */
static bool is_shortened(const struct tv_trace_row *row, const struct tv_project *project,
                         int64_t expires)
{
    return project->expires_s != TV_NEVER && (!row->expires || expires < row->expires);
}

/* The longest life counts from the upload, or else whoever asks again and again keeps a trace for
 * ever. What a trace has had before stays possible: it came into its project later, or an
 * administrator, whom nothing binds, gave it more. */
static enum tv_code bound_end(const struct tv_request_context *context,
                              const struct tv_trace_row *row, const struct tv_project *project,
                              int64_t *expires, struct tv_error *err)
{
    const uint64_t most_s = tv_project_longest(context->site->config, project);
    if (context->client.is_admin || most_s > TV_LONGEST_S || !row->expires)
        return TV_OK;
    const int64_t by_age = row->created + (int64_t)most_s;
    const int64_t latest = by_age > row->expires ? by_age : row->expires;
    if (*expires > latest)
        *expires = latest;
    return *expires > context->now
               ? TV_OK
               : tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                         "expires: the trace was kept for as long as it may be here, %llu d: an "
                         "administrator may keep it longer",
                         (unsigned long long)(most_s / 86400));
}

/* Only the fields that were sent become part of the change. New labels may move the trace into
 * another project: then the project's rules and quota hold, and its time to keep traces may bring
 * the end forward although no end was sent. */
enum tv_code tv_trace_change_prepare(const struct tv_request_context *context,
                                     const struct tv_fields *fields,
                                     const struct tv_requested_trace *requested,
                                     struct tv_prepared_change *prepared, struct tv_error *err)
{
    const struct tv_site_config *config = context->site->config;
    const struct tv_trace_row *row = &requested->row;
    struct tv_trace_change *change = &prepared->change;
    *prepared = (struct tv_prepared_change){
        .change = {
            .title = fields->title.at ? &fields->title : NULL,
            .note = fields->note.at ? &fields->note : NULL,
            .expires = fields->has_expires ? &prepared->expires : NULL,
            .is_raw_shared = fields->has_raw_shared ? &fields->is_raw_shared : NULL,
            .is_listed = fields->has_listed ? &fields->is_listed : NULL,
            .counting = fields->has_rows ? &fields->counting : NULL,
            .keeps_names = fields->has_names ? &fields->keeps_names : NULL,
        }};
    const struct tv_label *now = row->labels;
    size_t now_count = row->label_count;
    if (fields->label_count) {
        TV_TRY(join_labels(fields, row, prepared->labels, &change->label_count, err));
        TV_TRY(admit_project(context, fields, row, err));
        now = change->labels = prepared->labels;
        now_count = change->label_count;
    }
    const struct tv_project *project = tv_project_of(config, now, now_count);
    prepared->expires = tv_project_expiry(context, project, fields);
    if (fields->has_expires)
        TV_TRY(bound_end(context, row, project, &prepared->expires, err));
    const bool comes_in =
        project && project != tv_project_of(config, row->labels, row->label_count);
    if (comes_in && is_shortened(row, project, prepared->expires))
        change->expires = &prepared->expires;
    change->project_quota = comes_in ? project->quota : 0;
    return TV_OK;
}

/* Whether others see more of the trace than before: its file, the trace in lists, its methods in
 * questions over all traces, or all of it, since it leaves its project. */
static bool shows_more(const struct tv_site_config *config, const struct tv_trace_row *row,
                       const struct tv_trace_change *change)
{
    const struct tv_str project = tv_label_value(row->labels, row->label_count, "project");
    return (change->is_raw_shared && *change->is_raw_shared && !row->is_raw_shared) ||
           (change->is_listed && *change->is_listed && !row->is_listed) ||
           (change->counting && *change->counting == TV_COUNTING_YES &&
            row->counting != TV_COUNTING_YES) ||
           (config->projects && change->labels && project.len &&
            !tv_str_equal(project, tv_label_value(change->labels, change->label_count, "project")));
}

bool tv_trace_change_admit(const struct tv_request_context *context,
                           const struct tv_requested_trace *requested,
                           const struct tv_prepared_change *prepared,
                           struct tv_http_response *response)
{
    const struct tv_client *client = &context->client;
    const struct tv_trace_row *row = &requested->row;
    const struct tv_trace_change *change = &prepared->change;
    const bool ends_earlier =
        change->expires && *change->expires && (!row->expires || *change->expires < row->expires);
    const char *why = NULL;
    if (!client->is_program)
        return true;
    if (ends_earlier && !(client->scopes & TV_SCOPE_DELETE))
        why = "this token of a program may not let the trace end earlier: that needs one for "
              "deleting";
    else if (shows_more(context->site->config, row, change) && !(client->scopes & TV_SCOPE_READ))
        why = "this token of a program may not show others more of the trace (raw_shared, listed, "
              "rows, another project): that needs one for reading";
    if (why)
        tv_request_context_refuse(context, 403, why, response);
    return !why;
}

/* The answer is read from the store again, so that it shows what is there and not what was sent. A
 * trace that has expired is found as of a time at which it had not. */
enum tv_code tv_trace_change_apply(struct tv_request_context *context,
                                   struct tv_prepared_change *prepared,
                                   struct tv_requested_trace *requested, enum tv_quota_of *over,
                                   struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    const struct tv_id id = requested->row.id;
    const int64_t as_of = tv_requested_trace_is_over(context, requested) ? 0 : context->now;
    const bool is_owned = requested->is_owned;
    prepared->change.over = over;
    TV_TRY(db->change_trace(db->ctx, &id, as_of, &prepared->change, err));
    TV_TRY(tv_requested_trace_get(context, &id, requested, err));
    requested->is_owned = is_owned;
    return TV_OK;
}
