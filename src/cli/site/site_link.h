/* Links of sites, and what is known of the traces and mappings behind them: `push` and `open`. */
#ifndef TV_CLI_SITE_SITE_LINK_H
#define TV_CLI_SITE_SITE_LINK_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "os/file/paths.h"
#include "os/network/web.h"
#include "os/token.h"

#define TV_SITE_URL_CAP 1024u
/* Room for an address below a site. */
#define TV_SITE_PATH_CAP (TV_SITE_URL_CAP + 128u)

struct tv_site_link {
    char site[TV_SITE_URL_CAP]; /* "https://host/base", without a slash at the end */
    char id[TV_TOKEN_LEN + 1];
    bool is_mapping; /* of names; else a trace */
};

/* The address of a site: http or https, and no query. TV_ERR_ARGUMENT says what is wrong. */
enum tv_code tv_site_parse(char site[TV_SITE_URL_CAP], const char *text,
                           struct tv_error *err) TV_MUST_CHECK;
/* A link as the site gives them: SITE/trace/ID, and whatever follows, or SITE/api/v1/mappings/ID.
 */
enum tv_code tv_site_link_parse(struct tv_site_link *link, const char *text,
                                struct tv_error *err) TV_MUST_CHECK;

/* The link as text, and where the API has what it leads to. */
void tv_site_link_text(const struct tv_site_link *link, char text[TV_SITE_PATH_CAP]);
void tv_site_link_api(const struct tv_site_link *link, char url[TV_SITE_PATH_CAP]);

/* Tells what the site answered that is not fine, or why no answer came. Returns a status. */
int tv_site_refused(const struct tv_cli *cli, const char *subject,
                    const struct tv_web_answer *answer, const struct tv_error *err);

/* The file with the owner tokens of what was uploaded, for the user alone: lines of link and token.
 */
enum tv_code tv_owner_keep(const struct tv_cli *cli, const struct tv_site_link *link,
                           const char *token, char path[TV_PATH_CAP],
                           struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_owner_forget(const struct tv_cli *cli, const struct tv_site_link *link,
                             struct tv_error *err) TV_MUST_CHECK;
/* False: there is none. */
bool tv_owner_find(const struct tv_cli *cli, const struct tv_site_link *link,
                   char token[TV_TOKEN_LEN + 1]);
/* The token of the mapping that was pushed last to a site. */
bool tv_owner_find_mapping(const struct tv_cli *cli, const char *site,
                           char token[TV_TOKEN_LEN + 1]);

#endif
