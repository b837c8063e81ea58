/*
 * Sending and joining in parts; see s3/multipart.h. S3 is told that parts come, gets them in any
 * order, and is told at the end which there are. To that it may answer with a success that has an
 * error inside, or not at all although it was done: so the object itself is asked for its length at
 * the end.
 */
#include "s3/multipart.h"

#include <stdio.h>
#include <string.h>

#include "base/text/markup.h"
#include "base/text/percent.h"
#include "s3/bucket.h"
#include "s3/xml.h"

#define PART_LEAST ((uint64_t)16 << 20)
#define PARTS_MOST 9000u
/* What S3 takes for a part that is not the last one, and for any. */
#define PIECE_LEAST ((uint64_t)5 << 20)
#define PIECE_MOST ((uint64_t)5 << 30)
#define PIECES_MOST 10000u
#define MIB ((uint64_t)1 << 20)
#define ID_CAP 512u
#define GIVEN_UP_MOST 100u

struct sending {
    struct tv_errands *errands;
    const struct tv_s3_asker *asker;
    const char *key;
    int fd;
    const struct tv_s3_piece *pieces; /* NULL: the parts are of the file */
    uint64_t len, part_len;
    char id[TV_S3_QUERY_CAP - 48]; /* as it stands in a query, beside the number of a part */
    struct tv_buffer list;         /* of the parts, as XML */
    struct tv_out out;             /* to that */
};

uint64_t tv_s3_part_len(uint64_t len)
{
    uint64_t part = (len / PARTS_MOST / MIB + 1) * MIB;
    return part > PART_LEAST ? part : PART_LEAST;
}

/* Writes a text as it stands in a query. False: it is too long. */
static bool encode(const struct tv_s3_asker *asker, const char *text, char *to, size_t cap)
{
    struct tv_buffer buffer;
    struct tv_out out;
    tv_buffer_init(&buffer, asker->alloc);
    tv_out_init(&out, tv_buffer_sink(&buffer));
    tv_percent_put(&out, tv_str_from(text));
    bool is_written = tv_out_finish(&out, NULL) == TV_OK && buffer.len < cap;
    if (is_written && buffer.len)
        memcpy(to, buffer.bytes, buffer.len);
    if (is_written)
        to[buffer.len] = '\0';
    tv_buffer_release(&buffer);
    return is_written;
}

static struct tv_s3_request_errand ask_of(const struct sending *sending, enum tv_s3_method method)
{
    return (struct tv_s3_request_errand){
        .asker = sending->asker,
        .request = {.method = method, .patience = TV_S3_LONG, .key = sending->key, .query = ""}};
}

static enum tv_code begin(struct sending *sending, struct tv_error *err)
{
    struct tv_s3_request_errand asked = ask_of(sending, TV_S3_POST);
    char id[ID_CAP];
    asked.request.query = "uploads=";
    enum tv_code code = tv_s3_ask_once(sending->errands, &asked, err);
    tv_s3_xml_copy(tv_buffer_view(&asked.answer.text), "UploadId", id, sizeof(id));
    tv_buffer_release(&asked.answer.text);
    TV_TRY(code);
    if (!id[0] || !encode(sending->asker, id, sending->id, sizeof(sending->id)))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "S3 does not say how to send parts");
    return TV_OK;
}

static void fill_part(void *ctx, uint64_t number, struct tv_s3_request_errand *asked)
{
    const struct sending *sending = ctx;
    uint64_t off = number * sending->part_len;
    uint64_t left = sending->len - off;
    (void)snprintf(asked->query, sizeof(asked->query), "partNumber=%llu&uploadId=%s",
                   (unsigned long long)number + 1, sending->id);
    asked->request =
        (struct tv_s3_request){.method = TV_S3_PUT,
                               .patience = TV_S3_LONG,
                               .key = sending->key,
                               .query = asked->query,
                               .fd = sending->fd,
                               .off = off,
                               .len = left < sending->part_len ? left : sending->part_len};
}

static void fill_copy(void *ctx, uint64_t number, struct tv_s3_request_errand *asked)
{
    const struct sending *sending = ctx;
    (void)snprintf(asked->query, sizeof(asked->query), "partNumber=%llu&uploadId=%s",
                   (unsigned long long)number + 1, sending->id);
    asked->request = (struct tv_s3_request){.method = TV_S3_PUT,
                                            .patience = TV_S3_LONG,
                                            .key = sending->key,
                                            .query = asked->query,
                                            .copied_key = sending->pieces[number].key};
}

/* What is said of a copy stands in the text of the answer. */
static enum tv_code take_part(void *ctx, uint64_t number, const struct tv_s3_request_errand *asked,
                              struct tv_error *err)
{
    struct sending *sending = ctx;
    char part[48];
    char etag[TV_S3_ETAG_CAP];
    if (sending->pieces)
        tv_s3_xml_copy(tv_buffer_view(&asked->answer.text), "ETag", etag, sizeof(etag));
    else
        memcpy(etag, asked->answer.etag, sizeof(etag));
    if (!etag[0])
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "S3 does not say what it took a part for");
    (void)snprintf(part, sizeof(part), "%llu", (unsigned long long)number + 1);
    TV_MARKUP(&sending->out, "<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>",
              tv_str_from(part), tv_str_from(etag));
    return TV_OK;
}

/* Tells S3 that all parts are there. Whether that worked is seen by the object. */
static enum tv_code join(struct sending *sending, struct tv_error *err)
{
    struct tv_s3_request_errand asked = ask_of(sending, TV_S3_POST);
    struct tv_s3_request_errand found = ask_of(sending, TV_S3_HEAD);
    struct tv_error reason = {.code = TV_OK};
    tv_out_text(&sending->out, TV_STR("</CompleteMultipartUpload>"));
    TV_TRY(tv_out_finish(&sending->out, err));
    (void)snprintf(asked.query, sizeof(asked.query), "uploadId=%s", sending->id);
    asked.request.query = asked.query;
    asked.request.body = tv_buffer_view(&sending->list);
    enum tv_code code = tv_s3_ask_once(sending->errands, &asked, &reason);
    tv_buffer_release(&asked.answer.text);
    enum tv_code looked = tv_s3_ask_once(sending->errands, &found, NULL);
    tv_buffer_release(&found.answer.text);
    if (looked == TV_OK && found.answer.len == sending->len)
        return TV_OK;
    if (code == TV_ERR_LIMIT || code == TV_ERR_AWAY) {
        if (err)
            *err = reason;
        return code;
    }
    /* The parts were taken, so the same may work another time. */
    return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "S3 has not joined the parts of a file: %s",
                   code == TV_OK ? "it is not there" : reason.text);
}

static void give_up(struct tv_errands *errands, const struct tv_s3_asker *asker, const char *key,
                    const char *id)
{
    struct tv_s3_request_errand asked = {
        .asker = asker, .request = {.method = TV_S3_DELETE, .patience = TV_S3_SHORT, .key = key}};
    (void)snprintf(asked.query, sizeof(asked.query), "uploadId=%s", id);
    asked.request.query = asked.query;
    enum tv_code code = tv_s3_ask_once(errands, &asked, NULL);
    tv_buffer_release(&asked.answer.text);
    (void)code; /* what is left is swept later */
}

static enum tv_code send_parts(struct sending *sending, uint64_t count, struct tv_error *err)
{
    const struct tv_s3_series series = {.count = count,
                                        .fill = sending->pieces ? fill_copy : fill_part,
                                        .take = take_part,
                                        .ctx = sending};
    TV_TRY(begin(sending, err));
    tv_buffer_init(&sending->list, sending->asker->alloc);
    tv_out_init(&sending->out, tv_buffer_sink(&sending->list));
    tv_out_text(&sending->out, TV_STR("<CompleteMultipartUpload>"));
    enum tv_code code = tv_s3_ask_all(sending->errands, sending->asker, &series, err);
    if (code == TV_OK)
        code = join(sending, err);
    if (code != TV_OK)
        give_up(sending->errands, sending->asker, sending->key, sending->id);
    tv_buffer_release(&sending->list);
    return code;
}

enum tv_code tv_s3_send_in_parts(struct tv_errands *errands, const struct tv_s3_asker *asker,
                                 const char *key, int fd, uint64_t len, struct tv_error *err)
{
    struct sending sending = {.errands = errands,
                              .asker = asker,
                              .key = key,
                              .fd = fd,
                              .len = len,
                              .part_len = tv_s3_part_len(len)};
    return send_parts(&sending, (len + sending.part_len - 1) / sending.part_len, err);
}

enum tv_code tv_s3_join_pieces(struct tv_errands *errands, const struct tv_s3_asker *asker,
                               const char *key, const struct tv_s3_piece *pieces, size_t count,
                               struct tv_error *err)
{
    struct sending sending = {.errands = errands, .asker = asker, .key = key, .pieces = pieces};
    bool is_taken = count <= PIECES_MOST;
    for (size_t i = 0; i < count && is_taken; i++) {
        is_taken = pieces[i].len <= PIECE_MOST && (pieces[i].len >= PIECE_LEAST || i + 1 == count);
        sending.len += pieces[i].len;
    }
    if (!is_taken)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "S3 takes no parts of such lengths");
    return send_parts(&sending, count, err);
}

/* One page of the list: a later sweep finds what is left. */
void tv_s3_give_up_parts(struct tv_errands *errands, const struct tv_s3_asker *asker,
                         const char *before)
{
    struct tv_s3_request_errand asked = {
        .asker = asker, .request = {.method = TV_S3_GET, .patience = TV_S3_SHORT, .key = ""}};
    char prefix[3 * TV_S3_PREFIX_CAP];
    struct tv_str upload;
    if (!encode(asker, asker->place->prefix, prefix, sizeof(prefix)))
        return;
    (void)snprintf(asked.query, sizeof(asked.query), "prefix=%s&uploads=", prefix);
    asked.request.query = asked.query;
    enum tv_code code = tv_s3_ask_once(errands, &asked, NULL);
    struct tv_str text = tv_buffer_view(&asked.answer.text);
    for (unsigned i = 0;
         code == TV_OK && i < GIVEN_UP_MOST && tv_s3_xml_next(&text, "Upload", &upload); i++) {
        char key[TV_S3_PREFIX_CAP + 80];
        char id[ID_CAP];
        char query_id[TV_S3_QUERY_CAP - 32];
        char begun[32];
        tv_s3_xml_copy(upload, "Key", key, sizeof(key));
        tv_s3_xml_copy(upload, "UploadId", id, sizeof(id));
        tv_s3_xml_copy(upload, "Initiated", begun, sizeof(begun));
        size_t prefix_len = strlen(asker->place->prefix);
        if (begun[0] && strcmp(begun, before) < 0 &&
            strncmp(key, asker->place->prefix, prefix_len) == 0 &&
            tv_s3_is_file_name(key + prefix_len) && id[0] &&
            encode(asker, id, query_id, sizeof(query_id)))
            give_up(errands, asker, key + prefix_len, query_id);
    }
    tv_buffer_release(&asked.answer.text);
}
