/*
 * Reading requests and filling responses; see http/http.h.
 *
 * Headers of a response stand in one buffer as "name\0value\0", in order. Control characters in a
 * value become spaces, so that nothing from a request can begin a new header. Memory that runs out
 * while a response is filled marks it as broken; the connection is then closed without an answer,
 * and callers need no error paths.
 */
#include "http/http.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/text/json.h"
#include "os/random_sleep.h"
#include "os/waits.h"

/* --- requests --- */

static const char *const methods[] = {
    [TV_HTTP_GET] = "GET",         [TV_HTTP_HEAD] = "HEAD",   [TV_HTTP_PUT] = "PUT",
    [TV_HTTP_POST] = "POST",       [TV_HTTP_PATCH] = "PATCH", [TV_HTTP_DELETE] = "DELETE",
    [TV_HTTP_OPTIONS] = "OPTIONS", [TV_HTTP_OTHER] = "OTHER",
};

const char *tv_http_method_name(enum tv_http_method method)
{
    return methods[method];
}

enum tv_http_method tv_http_method_of(const char *name)
{
    for (size_t i = 0; i < TV_HTTP_OTHER; i++) {
        if (strcmp(methods[i], name) == 0)
            return (enum tv_http_method)i;
    }
    return TV_HTTP_OTHER;
}

bool tv_http_is_get(const struct tv_http_request *request)
{
    return request->method == TV_HTTP_GET || request->method == TV_HTTP_HEAD;
}

struct tv_str tv_http_host_name(struct tv_str host)
{
    size_t len = host.len;
    while (len && host.at[len - 1] >= '0' && host.at[len - 1] <= '9')
        len--;
    if (len && len < host.len && host.at[len - 1] == ':')
        return (struct tv_str){host.at, len - 1};
    return host;
}

bool tv_http_host_is_loopback(struct tv_str host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    struct tv_str name = tv_http_host_name(host);
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        if (tv_str_equal_folded(name, tv_str_from(names[i])))
            return true;
    }
    return false;
}

/* The number-th header of that name, counted from 0; SIZE_MAX: the last one. `count` is how many
 * there are. */
static struct tv_str find_header(const struct tv_http_request *request, const char *name,
                                 size_t number, size_t *count)
{
    struct tv_str wanted = tv_str_from(name);
    struct tv_str found = {NULL, 0};
    *count = 0;
    for (size_t i = 0; i < request->field_count; i++) {
        if (!tv_str_equal_folded(request->fields[i].name, wanted))
            continue;
        if (*count == number || number == SIZE_MAX)
            found = request->fields[i].value;
        ++*count;
    }
    return found;
}

struct tv_str tv_http_header(const struct tv_http_request *request, const char *name)
{
    size_t count;
    return find_header(request, name, 0, &count);
}

struct tv_str tv_http_last_header(const struct tv_http_request *request, const char *name)
{
    size_t count;
    return find_header(request, name, SIZE_MAX, &count);
}

size_t tv_http_count_headers(const struct tv_http_request *request, const char *name)
{
    size_t count;
    (void)find_header(request, name, 0, &count);
    return count;
}

bool tv_http_next_word(struct tv_str *rest, struct tv_str *word)
{
    do {
        if (!tv_str_split(rest, ',', word))
            return false;
        *word = tv_str_trim(*word);
    } while (!word->len);
    return true;
}

/* --- responses --- */

void tv_http_response_init(struct tv_http_response *response, const struct tv_alloc *alloc)
{
    *response =
        (struct tv_http_response){.status = 500, .kind = TV_HTTP_BODY_STATIC, .file.fd = -1};
    tv_buffer_init(&response->owned, alloc);
    tv_buffer_init(&response->fields, alloc);
}

void tv_http_reader_release(struct tv_http_reader *reader)
{
    const struct tv_http_reader released = *reader;
    *reader = (struct tv_http_reader){.ctx = NULL};
    if (released.release)
        released.release(released.ctx);
}

/* What was promised to a source is kept (leave), also where nobody ever read from it. */
void tv_http_drop_body(struct tv_http_response *response)
{
    if (response->file.fd >= 0) {
        tv_wait_expect();
        (void)close(response->file.fd);
    }
    if (response->file.far.read)
        response->file.far.close(response->file.far.ctx);
    response->file = (struct tv_http_part){.fd = -1};
    if (response->source.calls) {
        tv_random_sleep();
        response->source.calls->leave(response->source.ctx);
    }
    response->source = (struct tv_http_source){.calls = NULL};
    response->owned.len = 0;
    response->fixed = (struct tv_str){NULL, 0};
    response->kind = TV_HTTP_BODY_STATIC;
}

void tv_http_response_release(struct tv_http_response *response)
{
    tv_http_drop_body(response);
    tv_buffer_release(&response->owned);
    tv_buffer_release(&response->fields);
}

bool tv_http_next_added(const struct tv_http_response *response, size_t *at, const char **name,
                        const char **value)
{
    if (*at >= response->fields.len)
        return false;
    *name = (const char *)response->fields.bytes + *at;
    *value = *name + strlen(*name) + 1;
    *at += (size_t)(*value - *name) + strlen(*value) + 1;
    return true;
}

/* Control characters become blanks, or a value with a line's end in it could begin a field of its
 * own. */
static bool append(struct tv_buffer *fields, struct tv_str text)
{
    uint8_t *at;
    if (tv_buffer_extend(fields, text.len + 1, &at, NULL) != TV_OK)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = (uint8_t)text.at[i];
        at[i] = byte < ' ' || byte == 0x7f ? (uint8_t)' ' : byte;
    }
    at[text.len] = '\0';
    return true;
}

void tv_http_add_str(struct tv_http_response *response, const char *name, struct tv_str value)
{
    size_t len = response->fields.len;
    if (append(&response->fields, tv_str_from(name)) && append(&response->fields, value))
        return;
    response->fields.len = len;
    response->is_broken = true;
}

void tv_http_add(struct tv_http_response *response, const char *name, const char *value)
{
    tv_http_add_str(response, name, tv_str_from(value));
}

void tv_http_take_out(struct tv_http_response *response, const char *name)
{
    struct tv_buffer *fields = &response->fields;
    const char *added;
    const char *value;
    size_t at = 0;
    for (size_t begin = 0; tv_http_next_added(response, &at, &added, &value); begin = at) {
        if (!tv_str_equal_folded(tv_str_from(added), tv_str_from(name)))
            continue;
        memmove(fields->bytes + begin, fields->bytes + at, fields->len - at);
        fields->len -= at - begin;
        at = begin;
    }
}

void tv_http_set(struct tv_http_response *response, const char *name, const char *value)
{
    tv_http_take_out(response, name);
    tv_http_add(response, name, value);
}

const char *tv_http_added(const struct tv_http_response *response, const char *name)
{
    const char *added;
    const char *value;
    size_t at = 0;
    while (tv_http_next_added(response, &at, &added, &value)) {
        if (tv_str_equal_folded(tv_str_from(added), tv_str_from(name)))
            return value;
    }
    return NULL;
}

static void put_kind(struct tv_http_response *response, int status, enum tv_http_body kind,
                     const char *content_type)
{
    response->status = status;
    response->kind = kind;
    tv_http_set(response, "Content-Type", content_type);
}

void tv_http_say(struct tv_http_response *response, int status, const char *content_type,
                 const char *text)
{
    put_kind(response, status, TV_HTTP_BODY_STATIC, content_type);
    response->fixed = tv_str_from(text);
    tv_http_set(response, "Cache-Control", "no-store");
}

void tv_http_send(struct tv_http_response *response, int status, const char *content_type,
                  const char *cache)
{
    put_kind(response, status, TV_HTTP_BODY_OWNED, content_type);
    tv_http_set(response, "Cache-Control", cache);
}

/* Where not even that text has room, a fixed text says so: an answer there always is. */
void tv_http_refuse(struct tv_http_response *response, int status, const char *text)
{
    struct tv_json json;
    response->owned.len = 0;
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "error", text);
    tv_json_close_object(&json);
    if (tv_json_finish(&json, NULL) == TV_OK)
        tv_http_send(response, status, "application/json", "no-store");
    else
        tv_http_say(response, 500, "application/json", "{\"error\": \"out of memory\"}\n");
}

void tv_http_refuse_for_now(struct tv_http_response *response, const char *text)
{
    tv_http_refuse(response, 503, text);
    tv_http_add(response, "Retry-After", "1");
}

void tv_http_redirect(struct tv_http_response *response, int status, const char *location)
{
    tv_http_say(response, status, "text/plain; charset=utf-8", "");
    tv_http_set(response, "Location", location);
}

void tv_http_stream(struct tv_http_response *response, const char *content_type,
                    struct tv_http_source source)
{
    put_kind(response, 200, TV_HTTP_BODY_SOURCE, content_type);
    response->source = source;
    tv_http_set(response, "Cache-Control", "no-store");
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte && strchr("-._", byte));
}

/* Characters that stand for themselves between quotes. */
static bool is_plain(char byte)
{
    return is_letter(byte) || (byte && strchr(" $+,()", byte));
}

/* Content-Disposition with the name twice (RFC 6266): once in plain letters for old clients, once
 * in UTF-8, percent-encoded (RFC 8187). */
static bool write_file_name(struct tv_buffer *text, struct tv_str name)
{
    static const char digits[] = "0123456789ABCDEF";
    bool is_written = tv_buffer_append(text, "attachment; filename=\"", 22, NULL) == TV_OK;
    for (size_t i = 0; is_written && i < name.len; i++) {
        char plain = name.at[i];
        if (!is_plain(plain))
            plain = '_';
        is_written = tv_buffer_append(text, &plain, 1, NULL) == TV_OK;
    }
    is_written = is_written && tv_buffer_append(text, "\"; filename*=UTF-8''", 20, NULL) == TV_OK;
    for (size_t i = 0; is_written && i < name.len; i++) {
        unsigned byte = (unsigned char)name.at[i];
        const char code[] = {'%', digits[byte >> 4], digits[byte & 15]};
        if (is_letter(name.at[i]))
            is_written = tv_buffer_append(text, &name.at[i], 1, NULL) == TV_OK;
        else
            is_written = tv_buffer_append(text, code, sizeof(code), NULL) == TV_OK;
    }
    return is_written;
}

void tv_http_add_file_name(struct tv_http_response *response, struct tv_str name)
{
    struct tv_buffer text;
    tv_buffer_init(&text, response->fields.alloc);
    if (write_file_name(&text, name))
        tv_http_add_str(response, "Content-Disposition", tv_buffer_view(&text));
    else
        response->is_broken = true;
    tv_buffer_release(&text);
}
