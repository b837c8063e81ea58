/*
 * Uploads a file or a pipe to a site: begin, pieces, complete; see cli/site/upload.h.
 *
 * A piece stays in memory until the site has it, so that a pipe can be uploaded like a file. Each
 * piece goes with its checksum and the offset where it belongs, so no byte is changed, left out or
 * there twice without the site noticing. After a failure on the way the site is asked how far it
 * is, and the rest of the piece is sent; attempts without progress are counted.
 *
 * The owner token is saved before the first byte is sent. An upload that failed for good is deleted
 * on the site; one that failed because the site could not be reached stays, and expires there.
 */
#include "cli/site/upload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes/sha256.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/units.h"
#include "cli/terminal/progress.h"
#include "os/clock.h"

/* S3 takes pieces from 5 MiB on as parts of the whole, and need not be sent them again. */
#define PIECE ((size_t)8 << 20)
#define ANSWER_MOST ((uint64_t)64 << 10)
#define ANSWER_S 60u
/* Attempts without any progress before it is given up: a minute in all. */
#define TRIES 8u
#define FIRST_PAUSE_NS UINT64_C(250000000)
#define LONGEST_PAUSE_S 30u
#define HEADER_CAP 128

/* One upload with all that a new try needs: where the piece begins, and how often was tried. */
struct upload {
    const struct tv_cli *cli;
    const struct tv_upload_source *source;
    struct tv_site_link link;
    char url[TV_SITE_PATH_CAP];
    char bearer[HEADER_CAP]; /* the owner token, or that of a program */
    char owner[TV_TOKEN_LEN + 1];
    uint8_t *piece;
    size_t piece_len;
    uint64_t offset; /* where the piece begins */
    size_t done;     /* bytes of the piece that the site has */
    unsigned tries;  /* since there was progress */
    struct tv_progress progress;
    struct tv_web_answer answer;
    struct tv_error err;
};

/* A moment longer each time, or as long as the site asks for. */
static void pause_before_next(const struct upload *upload)
{
    uint64_t pause_ns = FIRST_PAUSE_NS << (upload->tries < 6 ? upload->tries : 6);
    uint64_t asked_s;
    if (tv_str_to_u64(tv_str_from(upload->answer.retry_after), 10, &asked_s))
        pause_ns = (asked_s < LONGEST_PAUSE_S ? asked_s : LONGEST_PAUSE_S) * TV_NS_PER_S;
    const struct timespec pause = tv_timespec_of(pause_ns);
    (void)nanosleep(&pause, NULL);
}

/* Returns the status of the answer, 0 where none came. */
static int ask(struct upload *upload, const struct tv_web_request *request)
{
    upload->err.code = TV_OK;
    if (tv_web_ask(request, &upload->answer, &upload->err) != TV_OK)
        return 0;
    return upload->answer.status;
}

/* Whether another attempt is to be made; waits before it. */
static bool tries_again(struct upload *upload)
{
    if (!upload->answer.is_worth_another_try || ++upload->tries >= TRIES)
        return false;
    if (upload->tries == 1)
        tv_cli_note(upload->cli, upload->source->name, "%s: trying again, for a minute at most",
                    upload->err.code == TV_OK ? "the site is busy" : upload->err.text);
    pause_before_next(upload);
    return true;
}

/* --- one request each --- */

/* Makes the upload on the site. If the answer is lost, what the site made stays there until it
 * expires; it has no bytes yet, so another attempt is harmless. Of the answer only the id and the
 * token are taken, and only if they look like tokens. */
static bool begin(struct upload *upload, const struct tv_upload_place *place)
{
    const char *const wanted[] = {place->secret, place->owner, place->token};
    char url[8 * TV_SITE_URL_CAP];
    struct tv_web_request request = {
        .method = "POST", .url = url, .body = {"", 0}, .most = ANSWER_MOST, .whole_s = ANSWER_S};
    size_t headers = 0;
    for (size_t i = 0; i < TV_COUNT_OF(wanted); i++) {
        if (wanted[i])
            request.headers[headers++] = wanted[i];
    }
    int len = snprintf(url, sizeof(url), "%s/api/v1/uploads?%s", place->site, place->query);
    if (len < 0 || (size_t)len >= sizeof(url)) {
        (void)tv_fail(&upload->err, TV_ERR_LIMIT, TV_NO_OFFSET,
                      "title, note and labels are too long");
        return false;
    }
    while (ask(upload, &request) != 201) {
        if (!tries_again(upload))
            return false;
    }
    struct tv_str made = tv_str_from(upload->answer.location);
    struct tv_str token = tv_str_from(upload->answer.owner_token);
    struct tv_str id = {made.at + (made.len < TV_TOKEN_LEN ? 0 : made.len - TV_TOKEN_LEN),
                        made.len < TV_TOKEN_LEN ? 0 : TV_TOKEN_LEN};
    if (!tv_token_is(id) || !tv_token_is(token)) {
        (void)tv_fail(&upload->err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "the answer names no upload: is this a site of traceview?");
        return false;
    }
    memcpy(upload->link.id, id.at, TV_TOKEN_LEN);
    (void)snprintf(upload->link.site, sizeof(upload->link.site), "%s", place->site);
    (void)snprintf(upload->url, sizeof(upload->url), "%s/api/v1/uploads/%s", place->site,
                   upload->link.id);
    upload->link.is_mapping = place->is_mapping;
    memcpy(upload->owner, token.at, TV_TOKEN_LEN);
    if (place->token)
        (void)snprintf(upload->bearer, sizeof(upload->bearer), "%s", place->token);
    else
        (void)snprintf(upload->bearer, sizeof(upload->bearer), "Authorization: Bearer %s",
                       token.at);
    upload->tries = 0;
    return true;
}

/* Progress has no total where the source has no length; then nothing is shown. */
static bool tell(void *ctx, uint64_t sent, uint64_t came, uint64_t of)
{
    struct upload *upload = ctx;
    (void)came;
    (void)of;
    return !upload->source->has_len ||
           tv_progress_tell(&upload->progress, upload->offset + upload->done + sent,
                            upload->source->len);
}

/* A sum for each piece, so that the site notices bytes that changed on their way at once and not at
 * the end of gigabytes. */
static void put_checksum(const uint8_t *bytes, size_t len, char header[HEADER_CAP])
{
    uint8_t digest[TV_SHA256_LEN];
    char digits[2 * TV_SHA256_LEN];
    tv_sha256((struct tv_str){(const char *)(const void *)bytes, len}, digest);
    tv_hex_put(digits, digest, sizeof(digest));
    (void)snprintf(header, HEADER_CAP, "X-Checksum-Sha256: %.*s", (int)sizeof(digits), digits);
}

static int send_rest(struct upload *upload)
{
    char checksum[HEADER_CAP];
    char offset[HEADER_CAP];
    const uint8_t *rest = upload->piece + upload->done;
    size_t len = upload->piece_len - upload->done;
    const struct tv_web_request request = {.method = "PATCH",
                                           .url = upload->url,
                                           .headers = {upload->bearer, offset, checksum},
                                           .body = {(const char *)(const void *)rest, len},
                                           .most = ANSWER_MOST,
                                           .tell = tell,
                                           .ctx = upload};
    put_checksum(rest, len, checksum);
    (void)snprintf(offset, sizeof(offset), "Upload-Offset: %llu",
                   (unsigned long long)(upload->offset + upload->done));
    return ask(upload, &request);
}

/* Asks the site how far it is. A site that has less than it has acknowledged, or more than was
 * sent, is not believed. */
static bool find_offset(struct upload *upload)
{
    const struct tv_web_request request = {.method = "HEAD",
                                           .url = upload->url,
                                           .headers = {upload->bearer},
                                           .most = ANSWER_MOST,
                                           .whole_s = ANSWER_S};
    uint64_t offset;
    int status;
    while ((status = ask(upload, &request)) != 200) {
        if (!tries_again(upload))
            return false;
    }
    if (!tv_str_to_u64(tv_str_from(upload->answer.upload_offset), 10, &offset) ||
        offset < upload->offset || offset > upload->offset + upload->piece_len) {
        (void)tv_fail(&upload->err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "the site has lost a part of the upload: begin again");
        return false;
    }
    if (offset != upload->offset + upload->done)
        upload->tries = 0;
    upload->done = (size_t)(offset - upload->offset);
    return true;
}

/* Sends the piece until the site has all of it. After every attempt that did not succeed the site
 * is asked for its offset: an answer may have been lost when the bytes had arrived. */
static bool send_piece(struct upload *upload)
{
    upload->done = 0;
    while (upload->done < upload->piece_len) {
        int status = send_rest(upload);
        if (status == 204) {
            upload->done = upload->piece_len;
            upload->tries = 0;
            continue;
        }
        /* Another offset, or a checksum that is wrong because bytes were changed on their way. */
        if (status == 409 || status == 422)
            upload->answer.is_worth_another_try = true;
        if (!tries_again(upload) || !find_offset(upload))
            return false;
    }
    upload->offset += upload->piece_len;
    return true;
}

static bool complete(struct upload *upload)
{
    char url[TV_SITE_PATH_CAP + 16];
    const struct tv_web_request request = {.method = "POST",
                                           .url = url,
                                           .headers = {upload->bearer},
                                           .body = {"", 0},
                                           .most = ANSWER_MOST,
                                           .whole_s = 10 * ANSWER_S};
    (void)snprintf(url, sizeof(url), "%s/complete", upload->url);
    int status;
    while ((status = ask(upload, &request)) != 200 && status != 201) {
        if (!tries_again(upload))
            return false;
    }
    return true;
}

/* --- the whole --- */

/* Fills the piece as far as there are bytes. A pipe may give a few bytes at a time, so reading goes
 * on until the piece is full or the source ends: a piece that is not full is the last one. */
static bool read_piece(struct upload *upload)
{
    upload->piece_len = 0;
    while (upload->piece_len < PIECE) {
        ssize_t got =
            read(upload->source->fd, upload->piece + upload->piece_len, PIECE - upload->piece_len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            (void)tv_fail(&upload->err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be read: %s",
                          strerror(errno));
            return false;
        }
        if (!got)
            break;
        upload->piece_len += (size_t)got;
    }
    return true;
}

static bool send_all(struct upload *upload)
{
    do {
        if (!read_piece(upload) || !send_piece(upload))
            return false;
    } while (upload->piece_len == PIECE);
    if (upload->source->has_len && upload->offset != upload->source->len) {
        (void)tv_fail(&upload->err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "the file changed while it was read");
        return false;
    }
    return true;
}

enum tv_code tv_upload_delete(const struct tv_site_link *link, const char *token,
                              struct tv_web_answer *answer, struct tv_error *err)
{
    char url[TV_SITE_PATH_CAP];
    char bearer[HEADER_CAP];
    tv_site_link_api(link, url);
    (void)snprintf(bearer, sizeof(bearer), "Authorization: Bearer %s", token);
    const struct tv_web_request request = {.method = "DELETE",
                                           .url = url,
                                           .headers = {bearer},
                                           .most = ANSWER_MOST,
                                           .whole_s = ANSWER_S};
    return tv_web_ask(&request, answer, err);
}

/* An upload that cannot be completed is of no use to anybody. Where it cannot be deleted, it
 * expires, and its token stays until somebody deletes it. */
static void give_up(struct upload *upload)
{
    struct tv_web_answer answer;
    struct tv_error err;
    const struct tv_web_request request = {.method = "DELETE",
                                           .url = upload->url,
                                           .headers = {upload->bearer},
                                           .most = ANSWER_MOST,
                                           .whole_s = 10};
    bool is_deleted = tv_web_ask(&request, &answer, &err) == TV_OK &&
                      (answer.status == 204 || answer.status == 404);
    if (!is_deleted || tv_owner_forget(upload->cli, &upload->link, &err) != TV_OK)
        tv_cli_note(upload->cli, upload->source->name, "what the site has of it expires there");
}

/* The token is kept before the trace is there: what the site has acknowledged has an owner, also
 * where this program ends in between. */
static bool run(struct upload *upload, const struct tv_upload_place *place,
                char tokens[TV_PATH_CAP])
{
    if (!begin(upload, place))
        return false;
    bool is_done =
        tv_owner_keep(upload->cli, &upload->link, upload->owner, tokens, &upload->err) == TV_OK &&
        send_all(upload) && complete(upload);
    if (!is_done && !upload->answer.is_worth_another_try)
        give_up(upload);
    return is_done;
}

/* Uploads all of a source. *link and *len are set also where it fails, as far as it came. */
int tv_upload(const struct tv_cli *cli, const struct tv_upload_source *source,
              const struct tv_upload_place *place, struct tv_site_link *link, uint64_t *len,
              char tokens[TV_PATH_CAP])
{
    struct upload upload = {.cli = cli, .source = source};
    int status = TV_STATUS_FINE;
    upload.err.code = tv_alloc_new(cli->alloc, &upload.piece, PIECE, 1, &upload.err);
    if (upload.err.code != TV_OK)
        return tv_cli_fail(cli, source->name, &upload.err);
    tv_progress_init(&upload.progress, cli, source->name);
    tv_progress_phase(&upload.progress, "uploading", 100);
    bool is_done = run(&upload, place, tokens);
    tv_progress_clear(&upload.progress);
    if (!is_done)
        status = tv_site_refused(cli, source->name, &upload.answer, &upload.err);
    *link = upload.link;
    *len = upload.offset;
    tv_alloc_release(cli->alloc, &upload.piece, PIECE, 1);
    return status;
}
