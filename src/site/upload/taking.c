/* Bodies whose bytes are kept; see site/upload/taking.h. */
#include "site/upload/taking.h"

#include <string.h>

#include "os/random_sleep.h"
#include "site/request/admission.h"
#include "site/upload/digests.h"
#include "site/upload/sniffing.h"

/* What a form has beside its file: headers of parts, and the other fields. */
#define FORM_ROOM ((uint64_t)1 << 20)

static enum tv_code refuse(struct tv_taking *taking, int status, enum tv_code code,
                           struct tv_error *err, const char *reason)
{
    taking->status = status;
    return tv_fail(err, code, TV_NO_OFFSET, "%s", reason);
}

/* Looks at the first bytes, once there are enough of them, or no more will come. */
static enum tv_code judge(struct tv_taking *taking, enum tv_sniffing part, struct tv_error *err)
{
    if (!taking->is_first || taking->was_judged)
        return TV_OK;
    taking->was_judged = true;
    enum tv_code code = tv_sniffing_judge(taking->first.bytes, taking->first.len, part, err);
    if (code != TV_OK)
        taking->status = 415;
    tv_buffer_release(&taking->first);
    return code;
}

/* A piece may be so short that it tells nothing. */
static enum tv_code judge_end(struct tv_taking *taking, struct tv_error *err)
{
    if (taking->kind != TV_TAKING_PIECE || taking->arrival.bytes == taking->told)
        return judge(taking, TV_SNIFFING_WHOLE, err);
    return taking->first.len < TV_SNIFFING_LEAST ? TV_OK : judge(taking, TV_SNIFFING_START, err);
}

static enum tv_code look_at(struct tv_taking *taking, const void *bytes, size_t len,
                            struct tv_error *err)
{
    if (!taking->is_first || taking->was_judged)
        return TV_OK;
    size_t room = TV_SNIFFING_LEN - taking->first.len;
    TV_TRY(tv_buffer_append(&taking->first, bytes, len < room ? len : room, err));
    return taking->first.len == TV_SNIFFING_LEN ? judge(taking, TV_SNIFFING_START, err) : TV_OK;
}

static enum tv_code keep(struct tv_taking *taking, const void *bytes, size_t len,
                         struct tv_error *err)
{
    if (len > taking->most - taking->arrival.bytes)
        return refuse(taking, 413, TV_ERR_LIMIT, err, "the file is longer than this site takes");
    TV_TRY(look_at(taking, bytes, len, err));
    enum tv_code code = tv_arrival_write(&taking->arrival, bytes, len, err);
    if (code == TV_ERR_LIMIT)
        taking->status = 507;
    return code;
}

static enum tv_code take_bytes(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    return keep(ctx, bytes, len, err);
}

/* --- forms --- */

/* A field that nobody knows is skipped, as AFlame does. */
static enum tv_code take_field(void *ctx, struct tv_str name, struct tv_str value,
                               struct tv_error *err)
{
    struct tv_taking *taking = ctx;
    if (tv_str_equal(name, TV_STR("trace_file")) || tv_str_equal(name, TV_STR("file")))
        return refuse(taking, 400, TV_ERR_ARGUMENT, err,
                      "the field trace_file is a text: send the file itself");
    enum tv_code code = tv_fields_take(&taking->fields, name, value, err);
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* The secret must have come by now: nobody else's bytes are written to the disk. */
static enum tv_code admit(struct tv_taking *taking, struct tv_error *err)
{
    struct tv_http_response refusal;
    tv_http_response_init(&refusal, taking->asked->site->alloc);
    taking->is_admitted = tv_admission_upload(taking->asked, &taking->fields, &refusal);
    int status = refusal.status;
    tv_http_response_release(&refusal);
    if (taking->is_admitted)
        return TV_OK;
    return refuse(taking, status, TV_ERR_ARGUMENT, err,
                  "uploads need the upload secret of this site, before the file");
}

static enum tv_code begin_file(void *ctx, struct tv_str name, struct tv_str file_name,
                               struct tv_error *err)
{
    struct tv_taking *taking = ctx;
    if (!tv_str_equal(name, TV_STR("trace_file")) && !tv_str_equal(name, TV_STR("file")))
        return refuse(taking, 400, TV_ERR_ARGUMENT, err,
                      "the file is in a field of another name than trace_file");
    if (taking->has_file)
        return refuse(taking, 400, TV_ERR_ARGUMENT, err,
                      "the form has more than one file: send each by a request of its own");
    if (!file_name.len)
        return refuse(taking, 400, TV_ERR_ARGUMENT, err, "no file was chosen");
    TV_TRY(admit(taking, err));
    taking->has_file = true;
    return tv_fields_take_file_name(&taking->fields, file_name, err);
}

static enum tv_code take_form(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_taking *taking = ctx;
    return tv_form_add(taking->form, bytes, len, err);
}

static const struct tv_form_calls form_calls = {
    .field = take_field, .file = begin_file, .bytes = take_bytes};

/* --- the beginning --- */

static void enter_list(struct tv_taking *taking)
{
    struct tv_site *site = taking->asked->site;
    taking->next = site->takings;
    if (site->takings)
        site->takings->before = taking;
    site->takings = taking;
    taking->is_listed = true;
}

void tv_taking_leave(struct tv_taking *taking)
{
    if (!taking || !taking->is_listed)
        return;
    struct tv_site *site = taking->asked->site;
    tv_random_sleep();
    (void)pthread_mutex_lock(&site->lock);
    if (taking->before)
        taking->before->next = taking->next;
    else
        site->takings = taking->next;
    if (taking->next)
        taking->next->before = taking->before;
    (void)pthread_mutex_unlock(&site->lock);
    taking->is_listed = false;
}

/* Takes a place among the uploads that are under way; false: there are too many. */
static bool take_place(struct tv_taking *taking)
{
    struct tv_site *site = taking->asked->site;
    const struct tv_site_config *config = site->config;
    struct tv_address own = tv_address_party(&taking->asked->client.address);
    uint64_t count = 0;
    uint64_t of_address = 0;
    (void)pthread_mutex_lock(&site->lock);
    for (const struct tv_taking *other = site->takings; other; other = other->next) {
        struct tv_address party = tv_address_party(&other->asked->client.address);
        count++;
        of_address += !memcmp(&party, &own, sizeof(own));
    }
    bool has_room =
        (!config->uploads_at_once || count < config->uploads_at_once) &&
        (!config->uploads_at_once_per_address || of_address < config->uploads_at_once_per_address);
    if (has_room)
        enter_list(taking);
    (void)pthread_mutex_unlock(&site->lock);
    return has_room;
}

/* In a raw body the body's sum is the file's, too. */
static enum tv_code find_sum(struct tv_taking *taking, struct tv_error *err)
{
    const struct tv_http_request *request = taking->asked->request;
    TV_TRY(tv_digests_find(request, TV_DIGEST_OF_BODY, &taking->has_sum, &taking->sum, err));
    if (taking->has_sum || taking->kind != TV_TAKING_TRACE)
        return TV_OK;
    return tv_digests_find(request, TV_DIGEST_OF_FILE, &taking->has_sum, &taking->sum, err);
}

static enum tv_code open_taking(struct tv_taking *taking, struct tv_error *err)
{
    struct tv_site *site = taking->asked->site;
    TV_TRY(find_sum(taking, err));
    if (taking->kind != TV_TAKING_PIECE)
        TV_TRY(tv_fields_take_query(&taking->fields, taking->asked->query, err));
    if (taking->kind == TV_TAKING_FORM)
        TV_TRY(tv_form_new(&taking->form, site->alloc, taking->asked->request, &form_calls, taking,
                           err));
    const enum tv_digest_sums sums =
        taking->kind == TV_TAKING_PIECE ? TV_DIGEST_SHA256 : TV_DIGEST_SHA256_AND_MD5;
    return tv_arrival_begin(&taking->arrival, site->store, sums, err);
}

static struct tv_taking *new_taking(struct tv_asked *asked, const struct tv_taking_opts *opts)
{
    struct tv_taking *taking;
    if (tv_alloc_new(asked->site->alloc, &taking, 1, sizeof(*taking), NULL) != TV_OK)
        return NULL;
    *taking = (struct tv_taking){.asked = asked,
                                 .kind = opts->kind,
                                 .most = opts->most,
                                 .told = opts->told,
                                 .is_first = opts->is_first,
                                 .arrival = {.fd = -1}};
    tv_fields_init(&taking->fields, &asked->arena);
    tv_buffer_init(&taking->first, asked->site->alloc);
    return taking;
}

enum tv_http_take tv_taking_begin(struct tv_asked *asked, const struct tv_taking_opts *opts,
                                  struct tv_http_taking *how, struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_taking *taking = new_taking(asked, opts);
    asked->taking = taking;
    if (!taking) {
        tv_asked_refuse(asked, 503, "out of memory", response);
        return TV_HTTP_TAKE_REFUSED;
    }
    if (!take_place(taking)) {
        tv_asked_refuse(asked, 429, "too many uploads are under way: try again later", response);
        tv_http_add(response, "Retry-After", "5");
        return TV_HTTP_TAKE_REFUSED;
    }
    if (open_taking(taking, &err) != TV_OK) {
        tv_taking_leave(taking);
        tv_asked_fail(asked, &err, response);
        return TV_HTTP_TAKE_REFUSED;
    }
    bool is_form = opts->kind == TV_TAKING_FORM;
    how->most =
        is_form && opts->most < UINT64_MAX - FORM_ROOM ? opts->most + FORM_ROOM : opts->most;
    how->sink = (struct tv_sink){.write = is_form ? take_form : take_bytes, .ctx = taking};
    return TV_HTTP_TAKE_PIECES;
}

/* --- the end --- */

static enum tv_code end_file(struct tv_taking *taking, struct tv_error *err)
{
    if (taking->form)
        TV_TRY(tv_form_end(taking->form, err));
    if (taking->kind == TV_TAKING_FORM && !taking->has_file)
        return refuse(taking, 400, TV_ERR_ARGUMENT, err,
                      "the form has no file in a field trace_file");
    TV_TRY(judge_end(taking, err));
    tv_arrival_end(&taking->arrival, &taking->raw, taking->md5);
    if (taking->has_sum && strcmp(taking->raw.hex, taking->sum.hex) != 0)
        return refuse(taking, 422, TV_ERR_ARGUMENT, err,
                      "the bytes have another SHA-256 than was said: they changed on their way");
    return TV_OK;
}

bool tv_taking_end(struct tv_taking *taking, struct tv_http_response *response)
{
    struct tv_error err = taking->asked->request->body_error;
    if (err.code == TV_ERR_LIMIT && !taking->status)
        taking->status = 413; /* httpd.c did not hand the rest over */
    if (err.code == TV_OK && end_file(taking, &err) == TV_OK)
        return true;
    if (taking->status)
        tv_asked_refuse(taking->asked, taking->status, err.text, response);
    else
        tv_asked_fail(taking->asked, &err, response);
    return false;
}

bool tv_taking_end_cut(struct tv_taking *taking)
{
    struct tv_error err;
    if (taking->has_sum || taking->status || !taking->arrival.bytes)
        return false;
    return end_file(taking, &err) == TV_OK;
}

void tv_taking_free(struct tv_taking *taking)
{
    if (!taking)
        return;
    const struct tv_alloc *alloc = taking->asked->site->alloc;
    tv_taking_leave(taking);
    tv_form_free(taking->form);
    tv_arrival_release(&taking->arrival);
    tv_buffer_release(&taking->first);
    tv_alloc_release(alloc, &taking, 1, sizeof(*taking));
}
