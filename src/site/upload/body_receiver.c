/*
 * Bodies whose bytes are kept; see site/upload/body_receiver.h.
 *
 * A receiver takes a body piece by piece: raw bytes go to a draft of the store, a form goes through
 * form.h first. Its first bytes are looked at before the rest comes, so that a file that is no
 * trace is refused early. What is wrong is kept as a status and an error until the body is over,
 * and told then. Receivers that are under way stand in a list of the site, which bounds how many
 * there are; a receiver leaves the list when its answer is made, and belongs to one request
 * throughout.
 */
#include "site/upload/body_receiver.h"

#include <string.h>
#include <sys/socket.h>

#include "base/text/percent.h"
#include "os/clock.h"
#include "os/network/peer.h"
#include "os/random_sleep.h"
#include "site/request/admission.h"
#include "site/upload/digests.h"
#include "site/upload/upload_sniff.h"

/* Bytes that a form may have beside its file: headers of parts, and other fields. */
#define FORM_ROOM ((uint64_t)1 << 20)

static enum tv_code refuse(struct tv_body_receiver *receiver, int status, enum tv_code code,
                           struct tv_error *err, const char *reason)
{
    receiver->status = status;
    return tv_fail(err, code, TV_NO_OFFSET, "%s", reason);
}

/* Judges the first bytes once there are enough of them, or no more will come. */
static enum tv_code judge(struct tv_body_receiver *receiver, enum tv_upload_sniff part,
                          struct tv_error *err)
{
    if (!receiver->is_first || receiver->was_judged)
        return TV_OK;
    receiver->was_judged = true;
    enum tv_code code =
        receiver->is_mapping
            ? tv_mapping_head_read(&receiver->head, receiver->context->site->alloc,
                                   tv_buffer_view(&receiver->first), err)
            : tv_upload_sniff_judge(receiver->first.bytes, receiver->first.len, part, err);
    if (code != TV_OK)
        receiver->status = 415;
    tv_buffer_release(&receiver->first);
    return code;
}

/* At the end of the body: a first piece that is not the whole file may be too short to tell
 * anything. */
static enum tv_code judge_end(struct tv_body_receiver *receiver, struct tv_error *err)
{
    if (receiver->kind != TV_BODY_RECEIVER_PIECE || receiver->arrival.bytes == receiver->told)
        return judge(receiver, TV_SNIFFING_WHOLE, err);
    return receiver->first.len < TV_SNIFFING_LEAST ? TV_OK
                                                   : judge(receiver, TV_SNIFFING_START, err);
}

static enum tv_code look_at(struct tv_body_receiver *receiver, const void *bytes, size_t len,
                            struct tv_error *err)
{
    if (!receiver->is_first || receiver->was_judged)
        return TV_OK;
    size_t room = TV_SNIFFING_LEN - receiver->first.len;
    TV_TRY(tv_buffer_append(&receiver->first, bytes, len < room ? len : room, err));
    return receiver->first.len == TV_SNIFFING_LEN ? judge(receiver, TV_SNIFFING_START, err) : TV_OK;
}

static enum tv_code keep(struct tv_body_receiver *receiver, const void *bytes, size_t len,
                         struct tv_error *err)
{
    if (len > receiver->most - receiver->arrival.bytes)
        return refuse(receiver, 413, TV_ERR_LIMIT, err, "the file is longer than this site takes");
    TV_TRY(look_at(receiver, bytes, len, err));
    enum tv_code code = tv_arrival_write(&receiver->arrival, bytes, len, err);
    if (code == TV_ERR_LIMIT)
        receiver->status = 507;
    return code;
}

static enum tv_code take_bytes(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    return keep(ctx, bytes, len, err);
}

/* --- forms --- */

/* Unknown fields are skipped, as AFlame does. */
static enum tv_code take_field(void *ctx, struct tv_str name, struct tv_str value,
                               struct tv_error *err)
{
    struct tv_body_receiver *receiver = ctx;
    if (tv_str_equal(name, TV_STR("trace_file")) || tv_str_equal(name, TV_STR("file")))
        return refuse(receiver, 400, TV_ERR_ARGUMENT, err,
                      "the field trace_file is a text: send the file itself");
    enum tv_code code = tv_fields_take(&receiver->fields, name, value, err);
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* The upload secret must have come by now: without it no byte of the file is written to the disk.
 */
static enum tv_code admit(struct tv_body_receiver *receiver, struct tv_error *err)
{
    struct tv_http_response refusal;
    tv_http_response_init(&refusal, receiver->context->site->alloc);
    receiver->is_admitted = tv_admission_upload(receiver->context, &receiver->fields, &refusal);
    int status = refusal.status;
    tv_http_response_release(&refusal);
    if (receiver->is_admitted)
        return TV_OK;
    return refuse(receiver, status, TV_ERR_ARGUMENT, err,
                  "uploads need the upload secret of this site, before the file");
}

/* Both names of the field are taken, since scripts of two services use them. */
static enum tv_code begin_file(void *ctx, struct tv_str name, struct tv_str file_name,
                               struct tv_error *err)
{
    struct tv_body_receiver *receiver = ctx;
    if (!tv_str_equal(name, TV_STR("trace_file")) && !tv_str_equal(name, TV_STR("file")))
        return refuse(receiver, 400, TV_ERR_ARGUMENT, err,
                      "the file is in a field of another name than trace_file");
    if (receiver->has_file)
        return refuse(receiver, 400, TV_ERR_ARGUMENT, err,
                      "the form has more than one file: send each by a request of its own");
    if (!file_name.len)
        return refuse(receiver, 400, TV_ERR_ARGUMENT, err, "no file was chosen");
    TV_TRY(admit(receiver, err));
    receiver->has_file = true;
    return tv_fields_take_file_name(&receiver->fields, file_name, err);
}

static enum tv_code take_form(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_body_receiver *receiver = ctx;
    return tv_form_add(receiver->form, bytes, len, err);
}

static const struct tv_form_calls form_calls = {
    .field = take_field, .file = begin_file, .bytes = take_bytes};

/* --- the beginning --- */

static void enter_list(struct tv_body_receiver *receiver)
{
    struct tv_site *site = receiver->context->site;
    receiver->next = site->receivers;
    if (site->receivers)
        site->receivers->before = receiver;
    site->receivers = receiver;
    receiver->is_listed = true;
}

/* A receiver is in the site's list while it takes bytes; it leaves once, whatever happened. */
void tv_body_receiver_leave(struct tv_body_receiver *receiver)
{
    if (!receiver || !receiver->is_listed)
        return;
    struct tv_site *site = receiver->context->site;
    tv_random_sleep();
    (void)pthread_mutex_lock(&site->lock);
    if (receiver->before)
        receiver->before->next = receiver->next;
    else
        site->receivers = receiver->next;
    if (receiver->next)
        receiver->next->before = receiver->before;
    (void)pthread_mutex_unlock(&site->lock);
    receiver->is_listed = false;
}

void tv_body_receiver_disconnect(struct tv_body_receiver *receiver)
{
    if (!receiver)
        return;
    struct tv_site *site = receiver->context->site;
    (void)pthread_mutex_lock(&site->lock);
    receiver->connection = -1;
    (void)pthread_mutex_unlock(&site->lock);
}

void tv_body_receiver_complete(struct tv_body_receiver *receiver)
{
    if (!receiver)
        return;
    struct tv_site *site = receiver->context->site;
    (void)pthread_mutex_lock(&site->lock);
    receiver->is_whole = true;
    (void)pthread_mutex_unlock(&site->lock);
}

void tv_body_receivers_tick(struct tv_site *site)
{
    const uint64_t now_ns = tv_now_ns();
    (void)pthread_mutex_lock(&site->lock);
    for (struct tv_body_receiver *receiver = site->receivers; receiver; receiver = receiver->next) {
        uint64_t bytes;
        if (receiver->connection >= 0 && tv_peer_moved(receiver->connection, &bytes))
            tv_pace_note(&receiver->pace, bytes, now_ns);
    }
    (void)pthread_mutex_unlock(&site->lock);
}

/* Whether the client brings less than the least rate, and not the site that is slow: then bytes
 * would wait to be read. */
static bool is_too_slow(const struct tv_body_receiver *receiver, uint64_t now_ns)
{
    const struct tv_site_config *config = receiver->context->site->config;
    uint64_t bytes;
    return receiver->connection >= 0 && !receiver->is_whole && !receiver->gave_way &&
           !tv_peer_has_sent(receiver->connection) && tv_peer_moved(receiver->connection, &bytes) &&
           tv_pace_is_below(&receiver->pace, bytes, now_ns, config->slowest_when_full);
}

/* Closes the connection of the upload that has been slow for the longest time, where there is one.
 * What came of a piece is kept. The list has the latest first. Called with the site's lock held,
 * under which a listed receiver's socket is open or its number forgotten. */
static bool make_room(const struct tv_site *site)
{
    const uint64_t now_ns = tv_now_ns();
    struct tv_body_receiver *found = NULL;
    for (struct tv_body_receiver *receiver = site->receivers; receiver; receiver = receiver->next) {
        if (is_too_slow(receiver, now_ns))
            found = receiver;
    }
    if (!found)
        return false;
    (void)shutdown(found->connection, SHUT_RDWR);
    found->gave_way = true;
    return true;
}

/* Counts the uploads that are under way; those whose connections were closed count no more. */
static uint64_t count_listed(const struct tv_site *site, const struct tv_http_party *party)
{
    uint64_t count = 0;
    for (const struct tv_body_receiver *other = site->receivers; other; other = other->next)
        count += !other->gave_way && (!party || memcmp(&other->party, party, sizeof(*party)) == 0);
    return count;
}

/* Takes a place among the uploads that are under way; false: there are too many, in all or of this
 * party. */
static bool take_place(struct tv_body_receiver *receiver)
{
    struct tv_site *site = receiver->context->site;
    const struct tv_site_config *config = site->config;
    (void)pthread_mutex_lock(&site->lock);
    bool has_room = !config->uploads_at_once_per_address ||
                    count_listed(site, &receiver->party) < config->uploads_at_once_per_address;
    if (has_room && config->uploads_at_once && count_listed(site, NULL) >= config->uploads_at_once)
        has_room = make_room(site);
    if (has_room)
        enter_list(receiver);
    (void)pthread_mutex_unlock(&site->lock);
    return has_room;
}

/* The SHA-256 that the client promises for the body. For a raw body a sum of the file is the same
 * sum. */
static enum tv_code find_sum(struct tv_body_receiver *receiver, struct tv_error *err)
{
    const struct tv_http_request *request = receiver->context->request;
    TV_TRY(tv_digests_find(request, TV_DIGEST_OF_BODY, &receiver->has_sum, &receiver->sum, err));
    if (receiver->has_sum || receiver->kind != TV_BODY_RECEIVER_TRACE)
        return TV_OK;
    return tv_digests_find(request, TV_DIGEST_OF_FILE, &receiver->has_sum, &receiver->sum, err);
}

/* The name that stands in the path, as `curl -T app.trace SITE/` puts it there; a parameter `name`
 * is stronger. */
static enum tv_code take_path_name(struct tv_body_receiver *receiver, struct tv_error *err)
{
    struct tv_str escaped = receiver->context->found.parts.name;
    char *name;
    size_t len = 0;
    if (!receiver->is_named)
        return TV_OK;
    TV_TRY(tv_arena_take(receiver->fields.arena, escaped.len + 1, &name, err));
    for (size_t at = 0; at < escaped.len; len++)
        (void)tv_percent_next(escaped, &at, &name[len]);
    return tv_fields_take_file_name(&receiver->fields, (struct tv_str){name, len}, err);
}

/* A form, as scripts for AFlame send it, gets its MD5 at once, since their links name a trace by
 * it; that takes longer than all else, so of other uploads a worker computes it later. */
static enum tv_code open_receiver(struct tv_body_receiver *receiver, struct tv_error *err)
{
    struct tv_site *site = receiver->context->site;
    TV_TRY(find_sum(receiver, err));
    if (receiver->kind != TV_BODY_RECEIVER_PIECE)
        TV_TRY(tv_fields_take_query(&receiver->fields, receiver->context->query, err));
    TV_TRY(take_path_name(receiver, err));
    if (receiver->kind == TV_BODY_RECEIVER_FORM)
        TV_TRY(tv_form_new(&receiver->form, site->alloc, receiver->context->request, &form_calls,
                           receiver, err));
    const enum tv_digest_sums sums =
        receiver->kind == TV_BODY_RECEIVER_FORM ? TV_DIGEST_SHA256_AND_MD5 : TV_DIGEST_SHA256;
    TV_TRY(tv_arrival_begin(&receiver->arrival, site->store, sums, err));
    receiver->arrival.keep_free = site->config->keep_free;
    return TV_OK;
}

/* Nothing is opened yet: the place in the list comes first. */
static struct tv_body_receiver *new_receiver(struct tv_request_context *context,
                                             const struct tv_body_receiver_opts *opts)
{
    const int connection = context->request->connection;
    struct tv_body_receiver *receiver;
    uint64_t moved = 0;
    if (tv_alloc_new(context->site->alloc, &receiver, 1, sizeof(*receiver), NULL) != TV_OK)
        return NULL;
    *receiver = (struct tv_body_receiver){.context = context,
                                          .kind = opts->kind,
                                          .most = opts->most,
                                          .told = opts->told,
                                          .is_first = !opts->upload || !opts->upload->arrived,
                                          .is_mapping = opts->is_mapping,
                                          .is_named = opts->is_named,
                                          .connection = connection,
                                          .party = context->request->party,
                                          .arrival = {.fd = -1}};
    if (connection >= 0)
        (void)tv_peer_moved(connection, &moved);
    tv_pace_begin(&receiver->pace, moved, tv_now_ns());
    tv_fields_init(&receiver->fields, &context->arena);
    tv_buffer_init(&receiver->first, context->site->alloc);
    return receiver;
}

/* Checks go from cheap to dear, and all of them before the body is asked for: a refused upload
 * sends no byte. */
enum tv_http_take tv_body_receiver_begin(struct tv_request_context *context,
                                         const struct tv_body_receiver_opts *opts,
                                         struct tv_http_body_sink *how,
                                         struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_body_receiver *receiver = new_receiver(context, opts);
    context->receiver = receiver;
    if (!receiver) {
        tv_request_context_refuse(context, 503, "out of memory", response);
        return TV_HTTP_TAKE_REFUSED;
    }
    if (!take_place(receiver)) {
        tv_request_context_refuse(context, 429, "too many uploads are under way: try again later",
                                  response);
        tv_http_add(response, "Retry-After", "5");
        return TV_HTTP_TAKE_REFUSED;
    }
    enum tv_code code = open_receiver(receiver, &err);
    if (code == TV_OK && opts->upload)
        tv_arrival_follow(&receiver->arrival, opts->upload->arrived, &opts->upload->so_far);
    if (code != TV_OK) {
        tv_body_receiver_leave(receiver);
        tv_request_context_fail(context, &err, response);
        return TV_HTTP_TAKE_REFUSED;
    }
    bool is_form = opts->kind == TV_BODY_RECEIVER_FORM;
    how->most =
        is_form && opts->most < UINT64_MAX - FORM_ROOM ? opts->most + FORM_ROOM : opts->most;
    how->sink = (struct tv_sink){.write = is_form ? take_form : take_bytes, .ctx = receiver};
    how->needs_connection = is_form;
    return TV_HTTP_TAKE_PIECES;
}

/* --- the end --- */

/* Only here is the upload whole: what was promised about it (a length, a sum) is compared with what
 * came. */
static enum tv_code end_file(struct tv_body_receiver *receiver, struct tv_error *err)
{
    if (receiver->form)
        TV_TRY(tv_form_end(receiver->form, err));
    if (receiver->kind == TV_BODY_RECEIVER_FORM && !receiver->has_file)
        return refuse(receiver, 400, TV_ERR_ARGUMENT, err,
                      "the form has no file in a field trace_file");
    TV_TRY(judge_end(receiver, err));
    tv_arrival_end(&receiver->arrival, &receiver->raw, receiver->md5);
    if (receiver->has_sum && strcmp(receiver->raw.hex, receiver->sum.hex) != 0)
        return refuse(receiver, 422, TV_ERR_ARGUMENT, err,
                      "the bytes have another SHA-256 than was said: they changed on their way");
    return TV_OK;
}

/* The first fault decides the status, though later ones may follow from it. */
bool tv_body_receiver_end(struct tv_body_receiver *receiver, struct tv_http_response *response)
{
    struct tv_error err = receiver->context->request->body_error;
    if (err.code == TV_ERR_LIMIT && !receiver->status)
        receiver->status = 413; /* http/exchange.c did not pass the rest on */
    if (err.code == TV_OK && end_file(receiver, &err) == TV_OK)
        return true;
    if (receiver->status)
        tv_request_context_refuse(receiver->context, receiver->status, err.text, response);
    else
        tv_request_context_fail(receiver->context, &err, response);
    return false;
}

/* Whether the bytes of a body that was cut can be kept: not if they must have a sum, or were
 * refused. */
bool tv_body_receiver_end_cut(struct tv_body_receiver *receiver)
{
    struct tv_error err;
    if (receiver->has_sum || receiver->status || !receiver->arrival.bytes)
        return false;
    return end_file(receiver, &err) == TV_OK;
}

void tv_body_receiver_free(struct tv_body_receiver *receiver)
{
    if (!receiver)
        return;
    const struct tv_alloc *alloc = receiver->context->site->alloc;
    tv_body_receiver_leave(receiver);
    tv_form_free(receiver->form);
    tv_arrival_release(&receiver->arrival);
    tv_buffer_release(&receiver->first);
    tv_alloc_release(alloc, &receiver, 1, sizeof(*receiver));
}
