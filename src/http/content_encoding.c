/*
 * Which encoding an answer gets, and packing it; see http/content_encoding.h.
 *
 * Text becomes a third to a tenth of itself, and arrives sooner on any network; on the loopback of
 * one machine it does not, so a service asks for it. Only answers that are in memory are packed. An
 * answer that does not become smaller goes out as it was.
 */
#include "http/content_encoding.h"

#include <string.h>

#include "os/file/compress.h"

/* Shorter answers fit into one packet of the network in any case. */
#define LEAST_LEN 1024u

/* The weight of one word of Accept-Encoding, "gzip;q=0.5", in thousandths; 1000 without one.
 * Something that is no number from 0 to 1 counts as 0. */
static unsigned weight_of(struct tv_str params)
{
    struct tv_str param;
    double weight = 1;
    while (tv_str_split(&params, ';', &param)) {
        param = tv_str_trim(param);
        if (!tv_str_starts_with(param, TV_STR("q=")) && !tv_str_starts_with(param, TV_STR("Q=")))
            continue;
        if (!tv_str_to_decimal((struct tv_str){param.at + 2, param.len - 2}, &weight) || weight > 1)
            weight = 0;
    }
    return (unsigned)(weight * 1000);
}

/* The weights of the packings; a packing that the client does not name has 0. */
static void read_weights(const struct tv_http_request *request,
                         unsigned weights[TV_PACKING_ZSTD + 1])
{
    struct tv_str rest = tv_http_header(request, "Accept-Encoding");
    struct tv_str word;
    weights[TV_PACKING_NONE] = weights[TV_PACKING_GZIP] = weights[TV_PACKING_ZSTD] = 0;
    while (tv_http_next_word(&rest, &word)) {
        struct tv_str params = word;
        struct tv_str name;
        (void)tv_str_split(&params, ';', &name);
        name = tv_str_trim(name);
        if (tv_str_equal_folded(name, TV_STR("gzip")))
            weights[TV_PACKING_GZIP] = weight_of(params);
        else if (tv_str_equal_folded(name, TV_STR("zstd")))
            weights[TV_PACKING_ZSTD] = weight_of(params);
    }
}

bool tv_http_takes(const struct tv_http_request *request, enum tv_packing packing)
{
    unsigned weights[TV_PACKING_ZSTD + 1];
    read_weights(request, weights);
    return weights[packing] > 0;
}

static enum tv_packing choose(const struct tv_http_request *request)
{
    unsigned weights[TV_PACKING_ZSTD + 1];
    read_weights(request, weights);
    if (weights[TV_PACKING_ZSTD] && weights[TV_PACKING_ZSTD] >= weights[TV_PACKING_GZIP])
        return TV_PACKING_ZSTD;
    return weights[TV_PACKING_GZIP] ? TV_PACKING_GZIP : TV_PACKING_NONE;
}

static bool is_text(const char *content_type)
{
    static const struct tv_str texts[] = {
        {"text/", 5}, {"application/json", 16}, {"image/svg+xml", 13}, {"application/openapi", 19}};
    struct tv_str type = tv_str_from(content_type ? content_type : "");
    for (size_t i = 0; i < TV_COUNT_OF(texts); i++) {
        if (tv_str_starts_with(type, texts[i]))
            return true;
    }
    return false;
}

/* The bytes of the answer; at == NULL: they are in a file or come from a source. */
static struct tv_str bytes_of(const struct tv_http_response *response)
{
    switch (response->kind) {
    case TV_HTTP_BODY_OWNED:
        return tv_buffer_view(&response->owned);
    case TV_HTTP_BODY_STATIC:
        return response->fixed;
    case TV_HTTP_BODY_FILE:
    case TV_HTTP_BODY_SOURCE:
        break;
    }
    return (struct tv_str){NULL, 0};
}

static enum tv_code pack(struct tv_str bytes, enum tv_packing packing, struct tv_buffer *packed)
{
    struct tv_compressor *packer;
    TV_TRY(
        tv_pack_new(&packer, packed->alloc, packing, TV_PACK_QUICK, tv_buffer_sink(packed), NULL));
    struct tv_sink sink = tv_pack_sink(packer);
    enum tv_code code = sink.write(sink.ctx, bytes.at, bytes.len, NULL);
    if (code == TV_OK)
        code = tv_pack_finish(packer, NULL);
    tv_pack_free(packer);
    return code;
}

/* An ETag names bytes, and the packed bytes are others: "abc" becomes "abc-gzip" (ranges.c knows
 * it). */
static void mark_etag(struct tv_http_response *response, const char *name)
{
    struct tv_buffer marked;
    const char *etag = tv_http_added(response, "ETag");
    size_t len = etag ? strlen(etag) : 0;
    if (len < 2 || etag[0] != '"')
        return;
    tv_buffer_init(&marked, response->fields.alloc);
    if (tv_buffer_append(&marked, etag, len - 1, NULL) == TV_OK &&
        tv_buffer_append(&marked, "-", 1, NULL) == TV_OK &&
        tv_buffer_append(&marked, name, strlen(name), NULL) == TV_OK &&
        tv_buffer_append(&marked, "\"", 2, NULL) == TV_OK)
        tv_http_set(response, "ETag", (const char *)marked.bytes);
    else
        response->is_broken = true;
    tv_buffer_release(&marked);
}

/* Vary is set for every answer that could be packed, also when this client gets it plain: caches
 * must not give it to another client. Memory that runs out means that the answer is not packed. */
void tv_http_pack(const struct tv_http_request *request, struct tv_http_response *response)
{
    enum tv_packing packing = choose(request);
    const char *name = packing == TV_PACKING_ZSTD ? "zstd" : "gzip";
    struct tv_str bytes = bytes_of(response);
    struct tv_buffer packed;
    if (bytes.len < LEAST_LEN || !is_text(tv_http_added(response, "Content-Type")) ||
        tv_http_added(response, "Content-Encoding"))
        return;
    tv_http_set(response, "Vary", "Accept-Encoding"); /* also when it is not packed this time */
    if (packing == TV_PACKING_NONE)
        return;
    tv_buffer_init(&packed, response->owned.alloc);
    if (pack(bytes, packing, &packed) != TV_OK || packed.len >= bytes.len) {
        tv_buffer_release(&packed);
        return;
    }
    tv_buffer_release(&response->owned);
    response->owned = packed;
    response->kind = TV_HTTP_BODY_OWNED;
    response->fixed = (struct tv_str){NULL, 0};
    tv_http_set(response, "Content-Encoding", name);
    mark_etag(response, name);
}
