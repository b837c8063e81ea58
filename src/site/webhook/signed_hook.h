/*
 * One try to deliver by a webhook: a POST that is signed, to no address that the site's owner does
 * not allow, whose redirects are not followed, and of whose answer the status alone counts.
 * docs/webhook.md tells whoever receives them how they are verified.
 */
#ifndef TV_SITE_WEBHOOK_SIGNED_HOOK_H
#define TV_SITE_WEBHOOK_SIGNED_HOOK_H

#include "site/config/config.h"
#include "store/store_db.h"

/* "sha256=" and 64 digits. */
#define TV_HOOK_SIGNATURE_CAP 72u

/* The signature of a body that is sent at a moment: HMAC-SHA256 under the secret, of the seconds
 * since 1970 in decimal digits, a point, and the body. TV_ERR_MEMORY is all that can fail. */
enum tv_code tv_hook_sign(const struct tv_alloc *alloc, struct tv_str secret, int64_t time,
                          struct tv_str body, char signature[TV_HOOK_SIGNATURE_CAP],
                          struct tv_error *err) TV_MUST_CHECK;

/* Whether the webhook may connect to an address: a public one, or one of webhook-to. */
bool tv_hook_allows(const struct tv_site_config *config, const struct tv_address *address);

/* Sends. TV_OK: it was taken, with a status of 2xx. Else the reason has nothing of the URL
 * but the IP address that may not be connected to, and nothing of the answer but its status.
 * *status is the answer's, 0 where none came. */
enum tv_code tv_hook_send(const struct tv_alloc *alloc, const struct tv_site_config *config,
                          const struct tv_delivery *delivery, int64_t now, unsigned *status,
                          struct tv_error *err) TV_MUST_CHECK;

/* When to try again after `tries` tries: at a random moment ("full jitter") of a time that doubles
 * with each try, from TV_HOOK_FIRST_S to TV_HOOK_LONGEST_S. `chance` is random. */
#define TV_HOOK_FIRST_S 5
#define TV_HOOK_LONGEST_S 3600
int64_t tv_hook_next(int64_t now, unsigned tries, uint64_t chance);

#endif
