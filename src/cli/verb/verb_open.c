/*
 * open: fetches a trace that somebody shared on a site, and shows it in the viewer. The site may be
 * anybody's: what it sends is a file for the readers of traces, under a name that is ours.
 *
 * The owner of the site chooses the bytes, never the place: they go into a file without a name, and
 * the first of them must look like a trace before more are taken.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/site/site_link.h"
#include "cli/site/view.h"
#include "cli/terminal/progress.h"
#include "cli/verb.h"
#include "format/formats.h"
#include "format/perfetto/perfetto_packets.h"
#include "os/file/inflate.h"
#include "os/file/spool.h"

/* The bytes by which the kind of a file is told. */
#define HEAD_LEN 4096u
#define MEGABYTE ((uint64_t)1000000)

/* most_mb bounds what is fetched, since the site says neither truthfully nor at all how long a file
 * is. */
struct open_options {
    struct tv_view_options view;
    uint64_t most_mb;
};

/* A download under way. */
struct fetching {
    struct tv_spool spool;
    struct tv_progress progress;
    uint8_t head[HEAD_LEN];
    size_t head_len;
};

/* Nothing that is another kind of file is fetched to its end. What is packed, or damaged, is looked
 * at when it is read. */
static enum tv_code check_head(const struct fetching *fetching, struct tv_error *err)
{
    const struct tv_format *format;
    struct tv_error why;
    if (tv_packing_of(fetching->head, fetching->head_len) != TV_PACKING_NONE ||
        tv_perfetto_begins(fetching->head, fetching->head_len) ||
        tv_sniff(fetching->head, fetching->head_len, &format, &why) != TV_ERR_FOREIGN)
        return TV_OK;
    return tv_fail(err, TV_ERR_FOREIGN, TV_NO_OFFSET, "%s", why.text);
}

/* The head is checked as soon as it is whole, so that a page of HTML of some gigabytes is not
 * fetched to its end. */
static enum tv_code keep(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct fetching *fetching = ctx;
    size_t room = HEAD_LEN - fetching->head_len;
    size_t part = len < room ? len : room;
    memcpy(fetching->head + fetching->head_len, bytes, part);
    fetching->head_len += part;
    if (part && fetching->head_len == HEAD_LEN)
        TV_TRY(check_head(fetching, err));
    return tv_spool_append(&fetching->spool, bytes, len, err);
}

static bool tell(void *ctx, uint64_t sent, uint64_t came, uint64_t of)
{
    struct fetching *fetching = ctx;
    (void)sent;
    return !of || tv_progress_tell(&fetching->progress, came, of);
}

/* Ours is shown with our token, whether it is shared or not. */
static enum tv_code fetch(const struct tv_cli *cli, const struct tv_site_link *link, uint64_t most,
                          struct fetching *fetching, struct tv_web_answer *answer,
                          struct tv_error *err)
{
    char url[TV_SITE_PATH_CAP];
    char token[TV_TOKEN_LEN + 1];
    char bearer[64] = "";
    (void)snprintf(url, sizeof(url), "%s/api/v1/traces/%s/raw", link->site, link->id);
    if (tv_owner_find(cli, link, token))
        (void)snprintf(bearer, sizeof(bearer), "Authorization: Bearer %s", token);
    const struct tv_web_request request = {.method = "GET",
                                           .url = url,
                                           .headers = {bearer[0] ? bearer : NULL},
                                           .answer = {.write = keep, .ctx = fetching},
                                           .most = most,
                                           .tell = tell,
                                           .ctx = fetching};
    TV_TRY(tv_web_ask(&request, answer, err));
    if (answer->status == 200 && fetching->head_len < HEAD_LEN)
        return check_head(fetching, err);
    return TV_OK;
}

/* Returns a status. */
static int fetch_and_tell(const struct tv_cli *cli, const struct tv_site_link *link,
                          const char *text, uint64_t most, struct fetching *fetching)
{
    struct tv_web_answer answer = {.status = 0};
    struct tv_error err = {.code = TV_OK};
    tv_progress_init(&fetching->progress, cli, text);
    tv_progress_phase(&fetching->progress, "fetching", 100);
    enum tv_code code = tv_spool_open(&fetching->spool, 0, &err);
    if (code == TV_OK)
        code = fetch(cli, link, most, fetching, &answer, &err);
    tv_progress_clear(&fetching->progress);
    if (code == TV_OK && answer.status == 200)
        return TV_STATUS_FINE;
    if (code == TV_OK && (answer.status == 401 || answer.status == 403))
        (void)tv_fail(&err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "its owner shares the view and not the file: open the link in a browser");
    return tv_site_refused(cli, text, &answer, &err);
}

/* The file has no name, so nothing of it is left, however the program ends. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct open_options *options = values;
    const char *text = arguments->of[0];
    const char *view = strchr(text, '#');
    char name[TV_TOKEN_LEN + sizeof(".trace")];
    struct tv_site_link link;
    struct fetching fetching = {.head_len = 0};
    struct tv_error err = {.code = TV_OK};
    if (tv_site_link_parse(&link, text, &err) != TV_OK)
        return tv_cli_misuse(cli, "open: %s", err.text);
    if (link.is_mapping)
        return tv_cli_misuse(cli, "open: %s is a mapping of names, and no trace", text);
    tv_spool_init(&fetching.spool);
    (void)snprintf(name, sizeof(name), "%s.trace", link.id);
    const struct tv_view_of of = {.name = name, .spool = &fetching.spool, .view = view ? view : ""};
    int status = fetch_and_tell(cli, &link, text, options->most_mb * MEGABYTE, &fetching);
    if (status == TV_STATUS_FINE)
        status = tv_view(cli, &options->view, &of);
    tv_spool_release(&fetching.spool);
    return status;
}

static const struct open_options defaults = {.most_mb = 4000};

static const struct tv_option options[] = {
    {.name = "no-browser",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct open_options, view.no_browser),
     .help = "only print the address; ends on Ctrl-C alone"},
    {.name = "port",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct open_options, view.port),
     .argument = "PORT",
     .help = "listen on this port of 127.0.0.1 (a free one)",
     .most = UINT16_MAX},
    {.name = "app",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct open_options, view.app),
     .help = "a window of its own, where a Chromium is there"},
    {.name = "most",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct open_options, most_mb),
     .argument = "MB",
     .help = "refuse a file that is larger (4000)",
     .most = 1000000},
};

const struct tv_verb tv_verb_open = {
    .name = "open",
    .summary = "fetch a trace from a site, and show it in the viewer",
    .arguments = "LINK",
    .argument_count = 1,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct open_options),
    .notes = "The owner must have shared the file (push --share-file), or be you. What is\n"
             "fetched is gone when the viewer ends.",
    .examples = {{"traceview open https://traces.example/trace/5f0c4d9e8a7b6c5d4e3f2a1b0c9d8e7f/",
                  "the trace in a viewer of your own"},
                 {"traceview open $(traceview push --share-file app.trace)",
                  "what others get of it"}},
    .run = run,
};
