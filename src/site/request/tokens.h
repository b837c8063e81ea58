/* Owner tokens, and what is kept of them: a sum, so that whoever reads the store owns no trace. */
#ifndef TV_SITE_REQUEST_TOKENS_H
#define TV_SITE_REQUEST_TOKENS_H

#include <stdbool.h>

#include "base/str.h"
#include "store/store_files.h"

/* SHA-256 of a text, as the store keeps sums. */
void tv_token_hash(struct tv_str text, struct tv_hash *hash);
/* These take as long for texts that differ at once as for equal ones, so that the time does not
 * tell how much of a guess is right. */
bool tv_token_is_of(struct tv_str token, const struct tv_hash *hash);
bool tv_secret_is(struct tv_str given, struct tv_str secret);

#endif
