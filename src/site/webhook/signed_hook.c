/*
 * One signed POST; see site/webhook/signed_hook.h. An answer is read up to a bound and thrown away:
 * a receiver that answers without an end, or slowly, has told its status before.
 */
#include "site/webhook/signed_hook.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes/sha256.h"
#include "base/hex.h"
#include "os/network/web.h"

/* How long a try may take, and how much of an answer is read. */
#define WHOLE_S 10u
#define ANSWER_MOST ((uint64_t)64 << 10)

enum tv_code tv_hook_sign(const struct tv_alloc *alloc, struct tv_str secret, int64_t time,
                          struct tv_str body, char signature[TV_HOOK_SIGNATURE_CAP],
                          struct tv_error *err)
{
    static const char scheme[] = "sha256=";
    uint8_t digest[TV_SHA256_LEN];
    char begin[32];
    struct tv_buffer text;
    const int len = snprintf(begin, sizeof(begin), "%" PRId64 ".", time);
    tv_buffer_init(&text, alloc);
    enum tv_code code = tv_buffer_append(&text, begin, (size_t)len, err);
    if (code == TV_OK)
        code = tv_buffer_append(&text, body.at, body.len, err);
    if (code == TV_OK) {
        tv_hmac_sha256(secret, tv_buffer_view(&text), digest);
        memcpy(signature, scheme, sizeof(scheme) - 1);
        tv_hex_put(signature + sizeof(scheme) - 1, digest, sizeof(digest));
        signature[sizeof(scheme) - 1 + 2 * sizeof(digest)] = '\0';
    }
    tv_buffer_release(&text);
    return code;
}

bool tv_hook_allows(const struct tv_site_config *config, const struct tv_address *address)
{
    return tv_address_is_public(address) || tv_networks_contain(&config->webhook_to, address);
}

static bool allows(void *ctx, const uint8_t bytes[16])
{
    struct tv_address address;
    memcpy(address.bytes, bytes, sizeof(address.bytes));
    return tv_hook_allows(ctx, &address);
}

static enum tv_code drop(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx;
    (void)bytes;
    (void)len;
    (void)err;
    return TV_OK;
}

/* A status of 2xx is a delivery, also where the answer breaks off behind it. */
static enum tv_code judge(enum tv_code code, const struct tv_web_answer *answer,
                          const struct tv_error *failure, struct tv_error *err)
{
    if (answer->status >= 200 && answer->status < 300)
        return TV_OK;
    if (answer->status >= 300 && answer->status < 400)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "the answer was %d: redirects are not followed", answer->status);
    if (answer->status)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the answer was %d", answer->status);
    if (code == TV_ERR_ARGUMENT)
        return tv_fail(err, code, TV_NO_OFFSET,
                       "%s: it is not public, and webhook-to does not name it", failure->text);
    return tv_fail(err, code == TV_OK ? TV_ERR_SYSTEM : code, TV_NO_OFFSET, "%s",
                   code == TV_OK ? "no answer came" : failure->text);
}

enum tv_code tv_hook_send(const struct tv_alloc *alloc, const struct tv_site_config *config,
                          const struct tv_delivery *delivery, int64_t now, unsigned *status,
                          struct tv_error *err)
{
    char signature[TV_HOOK_SIGNATURE_CAP], headers[3][TV_HOOK_SIGNATURE_CAP + 40];
    /* The guard only reads the settings. */
    const struct tv_web_guard guard = {allows, (void *)(uintptr_t)config};
    struct tv_web_answer answer = {.status = 0};
    struct tv_error failure = {.code = TV_OK};
    *status = 0;
    TV_TRY(tv_hook_sign(alloc, tv_str_from(config->webhook_secret), now, delivery->body, signature,
                        err));
    (void)snprintf(headers[0], sizeof(headers[0]), "X-Traceview-Delivery: %s", delivery->id.hex);
    (void)snprintf(headers[1], sizeof(headers[1]), "X-Traceview-Timestamp: %" PRId64, now);
    (void)snprintf(headers[2], sizeof(headers[2]), "X-Traceview-Signature: %s", signature);
    const struct tv_web_request request = {
        .method = "POST",
        .url = config->webhook,
        .headers = {"Content-Type: application/json", headers[0], headers[1], headers[2]},
        .body = delivery->body,
        .answer = {drop, NULL},
        .guard = &guard,
        .most = ANSWER_MOST,
        .whole_s = WHOLE_S};
    const enum tv_code code = tv_web_ask(&request, &answer, &failure);
    *status = (unsigned)answer.status;
    return judge(code, &answer, &failure, err);
}

int64_t tv_hook_next(int64_t now, unsigned tries, uint64_t chance)
{
    int64_t within = TV_HOOK_FIRST_S;
    for (unsigned i = 1; i < tries && within < TV_HOOK_LONGEST_S; i++)
        within *= 2;
    if (within > TV_HOOK_LONGEST_S)
        within = TV_HOOK_LONGEST_S;
    return now + 1 + (int64_t)(chance % (uint64_t)within);
}
