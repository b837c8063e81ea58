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

/* Where the bytes go. */
struct tv_upload_place {
    const char *site;
    const char *query;  /* what the site is told of them, percent-encoded */
    const char *secret; /* a whole header, or NULL */
    const char *owner;  /* the header with an owner token that there is already, or NULL */
    const char *token;  /* the header with a token of a program, or NULL: all requests bear it, and
                           the owner token is kept besides */
    bool is_mapping;    /* they become a mapping of names; else a trace */
};

/* Uploads the bytes. Returns a status; where that is TV_STATUS_FINE, *link is the trace or the
 * mapping, *len its length, and the owner token is in the file that `tokens` names. */
int tv_upload(const struct tv_cli *cli, const struct tv_upload_source *source,
              const struct tv_upload_place *place, struct tv_site_link *link, uint64_t *len,
              char tokens[TV_PATH_CAP]);

/* Deletes a trace, a mapping, or what there is of an upload, with its owner token: TV_OK and an
 * answer of 204, or 404 where it was gone already. */
enum tv_code tv_upload_delete(const struct tv_site_link *link, const char *token,
                              struct tv_web_answer *answer, struct tv_error *err) TV_MUST_CHECK;

#endif
