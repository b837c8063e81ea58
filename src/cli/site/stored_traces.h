/* What an administrator does with the traces of a store: list them, delete one, give one to
 * somebody, have those that failed tried again. Each fills a text and the keys of a JSON object at
 * once. */
#ifndef TV_CLI_SITE_STORED_TRACES_H
#define TV_CLI_SITE_STORED_TRACES_H

#include "base/text/json.h"
#include "cli/wording.h"
#include "store/store.h"

struct tv_stored_traces {
    const struct tv_alloc *alloc;
    struct tv_store *store;
    int64_t now; /* seconds since 1970 */
    struct tv_text *text;
    struct tv_json *json;
};

/* All traces, whoever owns or hides them, the newest first: those that have all words of `search`
 * in title, file name, note or a label; NULL: each of them. */
enum tv_code tv_stored_traces_list(const struct tv_stored_traces *traces, const char *search,
                                   struct tv_error *err) TV_MUST_CHECK;
/* `name` is an id or a link that ends with one. TV_ERR_NOT_FOUND: no trace has it. */
enum tv_code tv_stored_traces_delete(const struct tv_stored_traces *traces, const char *name,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Makes the trace that user's; `user` NULL: makes and tells a new owner token. The one before is
 * void in either case. */
enum tv_code tv_stored_traces_own(const struct tv_stored_traces *traces, const char *name,
                                  const char *user, struct tv_error *err) TV_MUST_CHECK;
/* Has the indexes of traces that failed made once more; `name` NULL: of all. */
enum tv_code tv_stored_traces_retry(const struct tv_stored_traces *traces, const char *name,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
