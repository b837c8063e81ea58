/* What is different in a trace that was pushed, beside another one of the same site; the site
 * compares them, so neither has to come here. */
#ifndef TV_CLI_SITE_PUSHED_DIFF_H
#define TV_CLI_SITE_PUSHED_DIFF_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/site/site_link.h"

struct tv_pushed_diff {
    const struct tv_site_link *old;
    const char *bearer; /* a whole header, or NULL */
    bool json;          /* print what the site's route `diff` answers */
};

/* Waits until the site has read the trace, and prints the difference. Returns a status:
 * TV_STATUS_BELOW where methods are called more or less often. */
int tv_pushed_diff(const struct tv_cli *cli, const struct tv_site_link *link,
                   const struct tv_pushed_diff *against);

#endif
