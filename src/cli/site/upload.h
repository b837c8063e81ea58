/* Uploading a file to a site in pieces: after a connection broke, the upload goes on
 * where the site has it. */
#ifndef TV_CLI_SITE_UPLOAD_H
#define TV_CLI_SITE_UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/site/site_link.h"

struct tv_upload_source {
    const char *name; /* as the user gave it, for messages and progress */
    int fd;           /* read from its beginning */
    bool has_len;     /* a file, which can be read again; a pipe has none */
    uint64_t len;
};

/* Whole headers by which the site lets an upload in; NULL: there is none. With a token of a program
 * all requests bear it, and the owner token is kept besides. */
struct tv_upload_rights {
    const char *secret, *token;
};

/* Uploads the bytes. `query` is what the site is told of them, percent-encoded. Returns a status;
 * where that is TV_STATUS_FINE, *link is the trace, *len its length, and the owner token is in the
 * file that `tokens` names. */
int tv_upload(const struct tv_cli *cli, const struct tv_upload_source *source, const char *site,
              const char *query, const struct tv_upload_rights *rights, struct tv_site_link *link,
              uint64_t *len, char tokens[TV_PATH_CAP]);

/* Deletes a trace, or what there is of an upload, with its owner token: TV_OK and an answer of 204,
 * or 404 where it was gone already. */
enum tv_code tv_upload_delete(const struct tv_site_link *link, const char *token,
                              struct tv_web_answer *answer, struct tv_error *err) TV_MUST_CHECK;

#endif
