/*
 * A request and its tries; see s3/request.h.
 *
 * libcurl signs what it sends. It takes the sum of the body from the header that is given to it,
 * and signs the query as it stands, so both are written here as the signature wants them. A header
 * without a value would be signed and not sent, so none is used. An answer is taken for whole only
 * where as many bytes came as were told and asked for.
 */
#include "s3/request.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/network/libcurl.h"
#include "s3/xml.h"

#define URL_CAP 2048u
#define HEADER_CAP 4224u /* a session's token and its name */
#define TEXT_MOST ((size_t)4 << 20)
#define CONNECT_MS 2000L
#define EXPECT_MS 300L
#define BLOCK ((long)512 * 1024) /* of a connection's two buffers */
#define SHORT_NS (4 * (uint64_t)TV_NS_PER_S)
#define LONG_NS (20 * (uint64_t)TV_NS_PER_S)
#define PAUSE_NS (100 * (uint64_t)TV_NS_PER_MS)
#define PAUSE_MOST_NS (3 * (uint64_t)TV_NS_PER_S)
#define TRIES_MOST 12u
/* By how much clocks may differ; S3 allows 15 minutes. */
#define SKEW_S 240

struct trying {
    const struct tv_s3_asker *asker;
    const struct tv_s3_line *line;
    const struct tv_s3_request *request;
    struct tv_s3_answer *answer;
    struct tv_s3_keys keys; /* of this try */
    bool has_renewed;       /* the key was read anew */
    uint64_t sent;          /* of the body, where the next byte is read */
    uint64_t moved_ns;      /* when the last byte came or went */
    int64_t skew_s;         /* of this machine's clock against the server's, where it told it */
    bool is_own_fault;      /* this end broke the transfer off: a disk that is full */
    struct tv_error err;
};

/* --- what goes and what comes --- */

static size_t send_body(char *into, size_t size, size_t count, void *ctx)
{
    struct trying *trying = ctx;
    const struct tv_s3_request *request = trying->request;
    uint64_t left = request->len - trying->sent;
    size_t want = size * count < left ? size * count : (size_t)left;
    ssize_t got = pread(request->fd, into, want, (off_t)(request->off + trying->sent));
    if (got < 0 || (got == 0 && want)) {
        trying->is_own_fault = true;
        (void)tv_fail(&trying->err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "a file of the store cannot be read");
        return CURL_READFUNC_ABORT;
    }
    trying->sent += (uint64_t)got;
    trying->moved_ns = tv_now_ns();
    return (size_t)got;
}

/* libcurl begins anew where a connection that it had kept was closed meanwhile. */
static int rewind_body(void *ctx, curl_off_t off, int origin)
{
    struct trying *trying = ctx;
    if (origin != SEEK_SET || off < 0)
        return CURL_SEEKFUNC_FAIL;
    trying->sent = (uint64_t)off;
    return CURL_SEEKFUNC_OK;
}

static int status_of(const struct trying *trying)
{
    long status = 0;
    (void)trying->line->libcurl->at_curl_easy_getinfo(trying->line->curl, CURLINFO_RESPONSE_CODE,
                                                      &status);
    return (int)status;
}

static void take_number(struct tv_str value, uint64_t *number)
{
    if (!tv_str_to_u64(tv_str_trim(value), 10, number))
        *number = 0;
}

/* Called by libcurl for each line of the headers. The date of the answer tells how far this
 * machine's clock is from the store's: signatures carry a time, and stores refuse those that are
 * minutes off. */
static size_t take_header(char *bytes, size_t size, size_t count, void *ctx)
{
    struct trying *trying = ctx;
    struct tv_s3_answer *answer = trying->answer;
    struct tv_str value = {bytes, size * count};
    struct tv_str name;
    while (value.len && (unsigned char)value.at[value.len - 1] <= ' ')
        value.len--;
    if (!tv_str_split(&value, ':', &name))
        return size * count;
    value = tv_str_trim(value);
    if (tv_str_equal_folded(name, TV_STR("Content-Length"))) {
        take_number(value, &answer->len);
    } else if (tv_str_equal_folded(name, TV_STR("ETag")) && value.len < TV_S3_ETAG_CAP) {
        memcpy(answer->etag, value.at, value.len);
        answer->etag[value.len] = '\0';
    } else if (tv_str_equal_folded(name, TV_STR("Content-Range"))) {
        struct tv_str before;
        (void)tv_str_split(&value, '/', &before);
        take_number(value, &answer->whole);
    } else if (tv_str_equal_folded(name, TV_STR("Date")) && value.len < 64) {
        char date[64];
        memcpy(date, value.at, value.len);
        date[value.len] = '\0';
        time_t told = trying->line->libcurl->at_curl_getdate(date, NULL);
        trying->skew_s = told < 0 ? 0 : (int64_t)time(NULL) - (int64_t)told;
        atomic_store(trying->asker->ahead_s, trying->skew_s);
    }
    return size * count;
}

/* Bytes of a range go where they are wanted; more than were asked for are an error. */
static size_t take_range(struct trying *trying, const char *bytes, size_t len)
{
    const struct tv_s3_request *request = trying->request;
    struct tv_s3_answer *answer = trying->answer;
    if (len > request->range_len - answer->got)
        return 0;
    if (request->into) {
        memcpy((uint8_t *)request->into + answer->got, bytes, len);
        answer->got += len;
        return len;
    }
    for (size_t done = 0; done < len;) {
        ssize_t put = pwrite(request->into_fd, bytes + done, len - done,
                             (off_t)(request->range_off + answer->got));
        if (put < 0) {
            trying->is_own_fault = true;
            (void)tv_fail(&trying->err, TV_ERR_LIMIT, TV_NO_OFFSET,
                          "the cache of the store's files has no room");
            return 0;
        }
        done += (size_t)put;
        answer->got += (size_t)put;
    }
    return len;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct trying *trying = ctx;
    struct tv_s3_answer *answer = trying->answer;
    size_t len = size * count;
    trying->moved_ns = tv_now_ns();
    if (trying->request->range_len && status_of(trying) == 206)
        return take_range(trying, bytes, len);
    if (answer->text.len + len > TEXT_MOST ||
        tv_buffer_append(&answer->text, bytes, len, NULL) != TV_OK)
        return 0;
    return len;
}

/* --- one try --- */

/* The address of the object. Bucket, prefix and key have no sign that needs encoding. */
static bool spell_url(const struct trying *trying, char url[URL_CAP])
{
    const struct tv_s3_place *place = trying->asker->place;
    const struct tv_s3_request *request = trying->request;
    const char *host = strstr(place->endpoint, "://") + 3;
    const char *prefix = request->key[0] ? place->prefix : "";
    int len;
    if (place->is_by_host)
        len = snprintf(url, URL_CAP, "%.*s%s.%s/%s%s", (int)(host - place->endpoint),
                       place->endpoint, place->bucket, host, prefix, request->key);
    else
        len = snprintf(url, URL_CAP, "%s/%s%s%s%s", place->endpoint, place->bucket,
                       request->key[0] ? "/" : "", prefix, request->key);
    if (request->query[0] && len > 0 && (size_t)len < URL_CAP)
        len += snprintf(url + len, URL_CAP - (size_t)len, "?%s", request->query);
    return len > 0 && (size_t)len < URL_CAP;
}

/* Adds the object that is copied, where one is. False: no memory. */
static bool add_copied(const struct trying *trying, struct curl_slist *headers)
{
    const struct tv_s3_place *place = trying->asker->place;
    const char *key = trying->request->copied_key;
    char header[HEADER_CAP];
    if (!key)
        return true;
    (void)snprintf(header, sizeof(header), "x-amz-copy-source: /%s/%s%s", place->bucket,
                   place->prefix, key);
    return trying->line->libcurl->at_curl_slist_append(headers, header) != NULL;
}

/* The sum of the body, as the server is told it. */
static struct curl_slist *spell_headers(const struct trying *trying)
{
    const struct tv_libcurl *libcurl = trying->line->libcurl;
    const struct tv_s3_request *request = trying->request;
    const char *token = trying->keys.token;
    char header[HEADER_CAP];
    (void)snprintf(header, sizeof(header), "x-amz-content-sha256: %s", request->sha256);
    struct curl_slist *headers = libcurl->at_curl_slist_append(NULL, header);
    struct curl_slist *all = headers;
    if (headers && token[0]) {
        (void)snprintf(header, sizeof(header), "x-amz-security-token: %s", token);
        all = libcurl->at_curl_slist_append(headers, header);
        explicit_bzero(header, sizeof(header));
    }
    if (all && request->method == TV_S3_POST)
        all = libcurl->at_curl_slist_append(headers, "Content-Type: application/xml");
    if (all && add_copied(trying, headers))
        return headers;
    libcurl->at_curl_slist_free_all(headers);
    return NULL;
}

#define SET(option, value)                                                                         \
    is_set =                                                                                       \
        is_set && trying->line->libcurl->at_curl_easy_setopt(curl, (option), (value)) == CURLE_OK

/* A PUT is read while it is sent, and libcurl may begin it anew after a broken connection, so it is
 * given a function to rewind as well. */
static bool set_method(struct trying *trying)
{
    const struct tv_s3_request *request = trying->request;
    CURL *curl = trying->line->curl;
    char range[64];
    bool is_set = true;
    if (request->method == TV_S3_HEAD)
        SET(CURLOPT_NOBODY, 1L);
    if (request->method == TV_S3_DELETE)
        SET(CURLOPT_CUSTOMREQUEST, "DELETE");
    if (request->method == TV_S3_POST) {
        SET(CURLOPT_POSTFIELDS, request->body.len ? request->body.at : "");
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
    }
    if (request->method == TV_S3_PUT) {
        SET(CURLOPT_UPLOAD, 1L);
        SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->len);
        SET(CURLOPT_READFUNCTION, send_body);
        SET(CURLOPT_READDATA, trying);
        SET(CURLOPT_SEEKFUNCTION, rewind_body);
        SET(CURLOPT_SEEKDATA, trying);
    }
    if (request->range_len) {
        (void)snprintf(range, sizeof(range), "%llu-%llu", (unsigned long long)request->range_off,
                       (unsigned long long)(request->range_off + request->range_len - 1));
        SET(CURLOPT_RANGE, range);
    }
    return is_set;
}

static bool set_up(struct trying *trying, struct curl_slist *headers)
{
    const struct tv_s3_asker *asker = trying->asker;
    CURL *curl = trying->line->curl;
    const bool is_long = trying->request->patience == TV_S3_LONG;
    char url[URL_CAP];
    char signing[TV_S3_NAME_CAP + 16];
    bool is_set = curl && headers && spell_url(trying, url);
    if (!is_set)
        return false;
    trying->line->libcurl->at_curl_easy_reset(curl); /* the connection stays */
    (void)snprintf(signing, sizeof(signing), "aws:amz:%s:s3", asker->place->region);
    SET(CURLOPT_URL, url);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_AWS_SIGV4, signing);
    SET(CURLOPT_USERNAME, trying->keys.id);
    SET(CURLOPT_PASSWORD, trying->keys.secret);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_USERAGENT, "traceview");
    SET(CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    SET(CURLOPT_EXPECT_100_TIMEOUT_MS, EXPECT_MS);
    SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
    SET(CURLOPT_LOW_SPEED_TIME, (long)((is_long ? LONG_NS : SHORT_NS) / TV_NS_PER_S));
    SET(CURLOPT_UPLOAD_BUFFERSIZE, BLOCK);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, trying);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, trying);
    if (asker->place->authorities)
        SET(CURLOPT_CAINFO, asker->place->authorities);
    /* A wish alone: libcurl keeps the buffer of a try whose name nobody knew, and refuses to change
     * it. */
    (void)trying->line->libcurl->at_curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, BLOCK);
    return is_set && set_method(trying);
}
#undef SET

static CURLcode try_once(struct trying *trying)
{
    const struct tv_libcurl *libcurl = trying->line->libcurl;
    struct tv_s3_answer *answer = trying->answer;
    tv_s3_keyring_get(trying->asker->keys, &trying->keys);
    struct curl_slist *headers = spell_headers(trying);
    answer->text.len = 0;
    answer->status = 0;
    answer->len = answer->whole = answer->got = 0;
    answer->etag[0] = answer->code[0] = '\0';
    trying->sent = 0;
    trying->skew_s = 0;
    CURLcode code = set_up(trying, headers) ? libcurl->at_curl_easy_perform(trying->line->curl)
                                            : CURLE_FAILED_INIT;
    answer->status = code == CURLE_FAILED_INIT ? 0 : status_of(trying);
    libcurl->at_curl_slist_free_all(headers);
    tv_s3_keys_forget(&trying->keys);
    return code;
}

/* --- reading an answer --- */

static bool is_word(const char *code, const char *const *words)
{
    while (*words && strcmp(code, *words) != 0)
        words++;
    return *words != NULL;
}

/* Whether the same may work a moment later. */
static bool is_passing(const struct trying *trying, CURLcode code)
{
    static const char *const words[] = {
        "SlowDown",         "InternalError", "RequestTimeout",      "ServiceUnavailable",
        "OperationAborted", "Throttling",    "ThrottlingException", NULL};
    const struct tv_s3_answer *answer = trying->answer;
    if (trying->is_own_fault)
        return false;
    if (code != CURLE_OK)
        return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
               code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
               code == CURLE_PARTIAL_FILE || code == CURLE_OPERATION_TIMEDOUT ||
               code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM || code == CURLE_WRITE_ERROR;
    return answer->status == 429 || answer->status == 500 ||
           (answer->status >= 502 && answer->status <= 504) || is_word(answer->code, words);
}

/* Whether a range is whole: as long as it was asked for, or to the end of the object. */
static bool is_short(const struct trying *trying)
{
    const struct tv_s3_request *request = trying->request;
    const struct tv_s3_answer *answer = trying->answer;
    if (!request->range_len || answer->status != 206)
        return false;
    uint64_t left = answer->whole > request->range_off ? answer->whole - request->range_off : 0;
    return answer->got != (left < request->range_len ? left : request->range_len);
}

/* A success that has an error inside: S3 begins to answer before it is done. */
static void find_code(struct tv_s3_answer *answer)
{
    struct tv_str text = tv_buffer_view(&answer->text);
    struct tv_str error;
    if (tv_s3_xml_next(&text, "Error", &error))
        tv_s3_xml_copy(error, "Code", answer->code, sizeof(answer->code));
    if (answer->code[0] &&
        answer->code[strspn(answer->code,
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.")])
        memcpy(answer->code, "Error", sizeof("Error")); /* no word of S3 */
}

/* A request that is refused for its clock says so, since everything else about it is right. */
static enum tv_code refuse(const struct trying *trying, struct tv_error *err)
{
    static const char *const full[] = {"QuotaExceeded", "EntityTooLarge", "StorageFull", NULL};
    const struct tv_s3_answer *answer = trying->answer;
    long long skew = (long long)trying->skew_s;
    const char *code = answer->code[0] ? answer->code : "no reason is told";
    if (strcmp(answer->code, "RequestTimeTooSkewed") == 0 ||
        (answer->status == 403 && llabs(skew) > SKEW_S))
        return tv_fail(
            err, TV_ERR_SYSTEM, TV_NO_OFFSET,
            "S3 refuses requests, since this machine's clock is %lld s %s that of the server",
            llabs(skew), skew > 0 ? "ahead of" : "behind");
    if (answer->status == 404 && strcmp(answer->code, "NoSuchBucket") == 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "S3 has no bucket %s",
                       trying->asker->place->bucket);
    if (answer->status == 404)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "S3 has no file of that name");
    if (answer->status == 507 || is_word(answer->code, full))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "S3 has no room: %s", code);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "S3 refuses a request: %d, %s", answer->status,
                   code);
}

/* Each try is told apart: what libcurl says has no key in it, since keys are in no address. */
static enum tv_code give_up(const struct trying *trying, CURLcode code, struct tv_error *err)
{
    if (trying->is_own_fault) {
        if (err)
            *err = trying->err;
        return trying->err.code;
    }
    if (code == CURLE_OK)
        return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "S3 does not answer as it should: %d, %s",
                       trying->answer->status,
                       trying->answer->code[0] ? trying->answer->code : "a part of the bytes");
    return tv_fail(err, is_passing(trying, code) ? TV_ERR_AWAY : TV_ERR_SYSTEM, TV_NO_OFFSET,
                   "S3 does not answer: %s", trying->line->libcurl->at_curl_easy_strerror(code));
}

/* Full jitter: any moment from now until the bound, so that many clients do not come back at once.
 */
static uint64_t pause_of(unsigned tries)
{
    uint64_t bound = PAUSE_NS << (tries < 8 ? tries : 8);
    uint64_t random;
    if (bound > PAUSE_MOST_NS)
        bound = PAUSE_MOST_NS;
    return getentropy(&random, sizeof(random)) == 0 ? random % bound : bound;
}

static uint64_t patience_of(const struct trying *trying, CURLcode code)
{
    bool is_silent = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST;
    return trying->request->patience == TV_S3_LONG && !is_silent ? LONG_NS : SHORT_NS;
}

/* Whether the key was refused, and another one stands where it came from. */
static bool has_new_key(struct trying *trying)
{
    static const char *const words[] = {"ExpiredToken",          "InvalidToken",
                                        "TokenRefreshRequired",  "InvalidAccessKeyId",
                                        "SignatureDoesNotMatch", NULL};
    const int status = trying->answer->status;
    if (trying->has_renewed || (status != 400 && status != 401 && status != 403))
        return false;
    /* The answer to a HEAD has no word. */
    if (trying->request->method != TV_S3_HEAD && !is_word(trying->answer->code, words))
        return false;
    trying->has_renewed = true;
    return tv_s3_keyring_renew(trying->asker->keys);
}

enum tv_code tv_s3_ask(const struct tv_s3_asker *asker, const struct tv_s3_line *line,
                       const struct tv_s3_request *request, struct tv_s3_answer *answer,
                       struct tv_error *err)
{
    struct trying trying = {.asker = asker, .line = line, .request = request, .answer = answer};
    *answer = (struct tv_s3_answer){.status = 0};
    tv_buffer_init(&answer->text, asker->alloc);
    trying.moved_ns = tv_now_ns();
    for (unsigned tries = 0;; tries++) {
        CURLcode code = try_once(&trying);
        if (code == CURLE_OK)
            find_code(answer);
        bool is_again = is_passing(&trying, code) || (code == CURLE_OK && is_short(&trying));
        if (code == CURLE_OK && !is_again && has_new_key(&trying))
            continue;
        if (code == CURLE_OK && !is_again)
            return answer->status >= 200 && answer->status < 300 && !answer->code[0]
                       ? TV_OK
                       : refuse(&trying, err);
        uint64_t pause_ns = pause_of(tries);
        if (!is_again || tries + 1 >= TRIES_MOST ||
            tv_now_ns() + pause_ns > trying.moved_ns + patience_of(&trying, code))
            return give_up(&trying, code, err);
        const struct timespec pause = tv_timespec_of(pause_ns);
        (void)nanosleep(&pause, NULL);
    }
}
