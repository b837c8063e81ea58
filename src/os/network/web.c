/*
 * One transfer of libcurl's easy interface; see os/network/web.h.
 *
 * libcurl is loaded when the first request is made, so that the program runs where it is not
 * installed. The answer's length, its headers and the time without a byte are bounded, and
 * redirects are not followed: an owner token must not go to another server. An answer that is no
 * success is kept as a reason, cut to its room.
 */
#include "os/network/web.h"

#include "os/network/libcurl.h"

#ifdef TV_HAS_CURL

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define HEADERS_MOST ((size_t)64 * 1024)
#define CONNECT_S 20L
#define SILENT_S 60L

/* A request while it is answered. */
struct asking {
    const struct tv_web_request *request;
    struct tv_web_answer *answer;
    const struct tv_libcurl *library;
    CURL *curl;
    size_t header_len; /* of all headers so far */
    uint64_t body_len;
    size_t reason_len;
    struct tv_error err; /* why this end broke the transfer off; code TV_OK: it did not */
};

/* --- what comes --- */

static int status_of(const struct asking *asking)
{
    long status = 0;
    (void)asking->library->at_curl_easy_getinfo(asking->curl, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

static void copy_text(char *to, size_t cap, struct tv_str text)
{
    size_t len = text.len < cap - 1 ? text.len : cap - 1;
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text.at[i];
        to[i] = byte < ' ' || byte == 0x7f ? ' ' : text.at[i];
    }
    to[len] = '\0';
}

static void keep_header(struct tv_web_answer *answer, struct tv_str name, struct tv_str value)
{
    const struct {
        struct tv_str name;
        char *to;
    } kept[] = {{{"Location", 8}, answer->location},
                {{"Upload-Offset", 13}, answer->upload_offset},
                {{"X-Owner-Token", 13}, answer->owner_token},
                {{"Content-Type", 12}, answer->content_type},
                {{"Retry-After", 11}, answer->retry_after}};
    while (value.len && (value.at[0] == ' ' || value.at[0] == '\t'))
        value = (struct tv_str){value.at + 1, value.len - 1};
    while (value.len && (unsigned char)value.at[value.len - 1] <= ' ')
        value.len--;
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (tv_str_equal_folded(name, kept[i].name))
            copy_text(kept[i].to, TV_WEB_VALUE_CAP, value);
    }
}

/* Returning fewer bytes than were given makes libcurl break the transfer off. */
static size_t take_header(char *bytes, size_t size, size_t count, void *ctx)
{
    struct asking *asking = ctx;
    struct tv_str rest = {bytes, size * count};
    struct tv_str name;
    asking->header_len += rest.len;
    if (asking->header_len > HEADERS_MOST) {
        (void)tv_fail(&asking->err, TV_ERR_LIMIT, TV_NO_OFFSET,
                      "the headers of the answer are longer than %zu KiB", HEADERS_MOST >> 10);
        return 0;
    }
    if (tv_str_split(&rest, ':', &name))
        keep_header(asking->answer, name, rest);
    return size * count;
}

/* Bytes of a success go to the sink; those of a refusal are kept as its reason. */
static size_t take_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct asking *asking = ctx;
    const struct tv_web_request *request = asking->request;
    size_t len = size * count;
    int status = status_of(asking);
    bool is_fine = status >= 200 && status < 300;
    asking->body_len += len;
    if (asking->body_len > request->most) {
        (void)tv_fail(&asking->err, TV_ERR_LIMIT, TV_NO_OFFSET,
                      "the answer is longer than %llu bytes", (unsigned long long)request->most);
        return 0;
    }
    if (!is_fine) {
        size_t room = TV_WEB_REASON_CAP - asking->reason_len;
        size_t part = len < room ? len : room;
        copy_text(asking->answer->reason + asking->reason_len, room, (struct tv_str){bytes, part});
        asking->reason_len += strlen(asking->answer->reason + asking->reason_len);
        return len;
    }
    if (request->answer.write &&
        request->answer.write(request->answer.ctx, bytes, len, &asking->err) != TV_OK)
        return 0;
    return len;
}

static int tell(void *ctx, curl_off_t of, curl_off_t came, curl_off_t to_send, curl_off_t sent)
{
    struct asking *asking = ctx;
    const struct tv_web_request *request = asking->request;
    (void)to_send;
    if (request->tell(request->ctx, (uint64_t)sent, (uint64_t)came, (uint64_t)of))
        return 0;
    (void)tv_fail(&asking->err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    return 1;
}

/* --- whom it connects to --- */

static bool read_address(const struct curl_sockaddr *at, uint8_t bytes[16])
{
    struct sockaddr_in6 of6;
    struct sockaddr_in of4;
    if (at->family == AF_INET6) {
        memcpy(&of6, &at->addr, sizeof(of6));
        memcpy(bytes, &of6.sin6_addr, 16);
        return true;
    }
    memset(bytes, 0, 10);
    memset(bytes + 10, 0xff, 2);
    memcpy(&of4, &at->addr, sizeof(of4));
    memcpy(bytes + 12, &of4.sin_addr, 4);
    return at->family == AF_INET;
}

/* libcurl connects to this very address, or not at all. */
static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *at)
{
    struct asking *asking = ctx;
    const struct tv_web_guard *guard = asking->request->guard;
    uint8_t bytes[16];
    char text[INET6_ADDRSTRLEN] = "";
    const bool is_known = read_address(at, bytes);
    (void)purpose;
    if (is_known && guard->allows(guard->ctx, bytes))
        return socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
    if (at->family == AF_INET)
        (void)inet_ntop(AF_INET, bytes + 12, text, sizeof(text));
    else
        (void)inet_ntop(AF_INET6, bytes, text, sizeof(text));
    (void)tv_fail(&asking->err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s may not be connected to",
                  is_known ? text : "what is no address of the internet");
    return CURL_SOCKET_BAD;
}

/* --- the transfer --- */

static bool set_up(struct asking *asking, struct curl_slist *headers)
{
    const struct tv_libcurl *library = asking->library;
    const struct tv_web_request *request = asking->request;
    CURL *curl = asking->curl;
    const char *authorities = getenv("SSL_CERT_FILE");
    bool is_set = true;
#define SET(option, value)                                                                         \
    is_set = is_set && library->at_curl_easy_setopt(curl, (option), (value)) == CURLE_OK
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_USERAGENT, "traceview");
    SET(CURLOPT_CONNECTTIMEOUT, CONNECT_S);
    SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
    SET(CURLOPT_LOW_SPEED_TIME, SILENT_S);
    SET(CURLOPT_TIMEOUT, (long)request->whole_s);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, asking);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, asking);
    if (authorities)
        SET(CURLOPT_CAINFO, authorities);
    if (request->guard) {
        SET(CURLOPT_PROXY, "");
        SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
        SET(CURLOPT_OPENSOCKETDATA, asking);
    }
    if (request->body.at) {
        SET(CURLOPT_POSTFIELDS, request->body.at);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
    }
    if (request->method[0] == 'H') /* HEAD */
        SET(CURLOPT_NOBODY, 1L);
    else
        SET(CURLOPT_CUSTOMREQUEST, request->method);
    if (request->tell) {
        SET(CURLOPT_NOPROGRESS, 0L);
        SET(CURLOPT_XFERINFOFUNCTION, tell);
        SET(CURLOPT_XFERINFODATA, asking);
    }
#undef SET
    return is_set;
}

/* Failures that may be gone a moment later. A certificate that is refused, or a name that nobody
 * knows, will be the same next time. */
static bool is_passing(CURLcode code)
{
    return code == CURLE_COULDNT_CONNECT || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
           code == CURLE_GOT_NOTHING || code == CURLE_PARTIAL_FILE ||
           code == CURLE_OPERATION_TIMEDOUT;
}

static bool is_busy(int status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

static enum tv_code transfer(struct asking *asking, struct tv_error *err)
{
    const struct tv_libcurl *library = asking->library;
    struct tv_web_answer *answer = asking->answer;
    CURLcode code = library->at_curl_easy_perform(asking->curl);
    answer->status = status_of(asking);
    answer->is_worth_another_try = code == CURLE_OK ? is_busy(answer->status) : is_passing(code);
    if (code == CURLE_OK)
        return TV_OK;
    if (asking->err.code != TV_OK) {
        answer->is_worth_another_try = false;
        if (err)
            *err = asking->err;
        return asking->err.code;
    }
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s", library->at_curl_easy_strerror(code));
}

static bool says_type(const struct tv_web_request *request)
{
    static const struct tv_str type = {"content-type:", 13};
    for (size_t i = 0; request->headers[i]; i++) {
        const struct tv_str header = tv_str_from(request->headers[i]);
        if (header.len > type.len &&
            tv_str_equal_folded((struct tv_str){header.at, type.len}, type))
            return true;
    }
    return false;
}

/* The list of headers; false: memory ran out. "Expect:" without a value takes out the header that
 * libcurl adds by itself, and waits for. */
static bool make_headers(const struct tv_libcurl *library, const struct tv_web_request *request,
                         struct curl_slist **headers)
{
    *headers = library->at_curl_slist_append(NULL, "Expect:");
    bool is_made = *headers != NULL;
    if (is_made && request->body.at && !says_type(request))
        is_made = library->at_curl_slist_append(*headers, "Content-Type: application/octet-stream");
    for (size_t i = 0; is_made && request->headers[i]; i++)
        is_made = library->at_curl_slist_append(*headers, request->headers[i]) != NULL;
    return is_made;
}

enum tv_code tv_web_ask(const struct tv_web_request *request, struct tv_web_answer *answer,
                        struct tv_error *err)
{
    struct tv_libcurl library;
    struct curl_slist *headers = NULL;
    *answer = (struct tv_web_answer){.status = 0};
    TV_TRY(tv_libcurl_load(&library, err));
    struct asking asking = {.request = request, .answer = answer, .library = &library};
    asking.err.code = TV_OK;
    asking.curl = library.at_curl_easy_init();
    enum tv_code code = TV_OK;
    if (!asking.curl || !make_headers(&library, request, &headers) || !set_up(&asking, headers))
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "libcurl cannot begin the request");
    else
        code = transfer(&asking, err);
    library.at_curl_slist_free_all(headers);
    if (asking.curl)
        library.at_curl_easy_cleanup(asking.curl);
    return code;
}

#else

enum tv_code tv_web_ask(const struct tv_web_request *request, struct tv_web_answer *answer,
                        struct tv_error *err)
{
    (void)request;
    *answer = (struct tv_web_answer){.status = 0};
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, TV_NO_LIBCURL);
}

#endif
