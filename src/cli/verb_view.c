/* view: the viewer in the browser. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/health.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "os/browser.h"
#include "server/page.h"
#include "server/run.h"

struct view_options {
    bool no_browser;
    bool app;
    uint64_t port;
};

/* One viewer. */
struct viewing {
    const struct tv_cli *cli;
    const char *name;
    const struct view_options *options;
    struct tv_opened opened;
};

static enum tv_code load(void *ctx, struct tv_index *index,
                         bool (*tell)(void *tell_ctx, uint64_t done, uint64_t of), void *tell_ctx,
                         struct tv_error *err)
{
    struct viewing *viewing = ctx;
    struct tv_build_opts opts = {
        .pool = viewing->cli->pool, .progress = tell, .progress_ctx = tell_ctx};
    enum tv_code code = tv_index_build(index, &viewing->opened.trace, &opts, err);
    tv_opened_release(&viewing->opened);
    return code;
}

static void loaded(void *ctx, const struct tv_index *index)
{
    const struct viewing *viewing = ctx;
    tv_health_tell(viewing->cli, viewing->name, index);
}

/* The address alone goes to stdout; what to do with it is for people. */
static void listening(void *ctx, const char *url, uint16_t port)
{
    const struct viewing *viewing = ctx;
    const struct tv_cli *cli = viewing->cli;
    struct tv_error err = {.code = TV_OK};
    const char *session = getenv("SSH_CONNECTION");
    bool is_open = false;
    (void)fprintf(cli->out, "%s\n", url);
    (void)fflush(cli->out);
    if (!tv_page_is_built())
        tv_cli_note(cli, NULL,
                    "built without its page, because node was missing: only the api answers");
    else if (!viewing->options->no_browser)
        is_open = tv_browser_open(url, viewing->options->app ? TV_BROWSER_APP : TV_BROWSER_TAB,
                                  &err) == TV_OK;
    if (!is_open && err.code != TV_OK)
        tv_cli_note(cli, NULL, "%s: open the address above in one", err.text);
    if (!is_open && ((session && session[0]) || err.code != TV_OK))
        tv_cli_note(cli, NULL,
                    "from another machine: ssh -L %u:127.0.0.1:%u THIS-MACHINE, then the same "
                    "address there",
                    port, port);
    tv_cli_note(cli, NULL,
                viewing->options->no_browser ? "ends on Ctrl-C"
                                             : "ends when the page is closed, or on Ctrl-C");
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct view_options *options = values;
    struct viewing viewing = {.cli = cli, .name = arguments->of[0], .options = options};
    struct tv_error err = {.code = TV_OK};
    struct tv_progress shown;
    struct tv_load_progress progress = {.tell = tv_progress_tell, .ctx = &shown};
    struct tv_viewer_opts opts = {.alloc = cli->alloc,
                                  .pool = cli->pool,
                                  .file = tv_file_label(viewing.name),
                                  .port = (uint16_t)options->port,
                                  .life = options->no_browser ? TV_VIEWER_UNTIL_SIGNAL
                                                              : TV_VIEWER_UNTIL_CLOSED,
                                  .load = load,
                                  .listening = listening,
                                  .loaded = loaded,
                                  .ctx = &viewing};
    int status = TV_STATUS_FINE;
    tv_opened_init(&viewing.opened, cli->alloc);
    tv_progress_init(&shown, cli, viewing.name, "unpacking");
    enum tv_code code = tv_opened_open(&viewing.opened, viewing.name, &progress, &err);
    tv_progress_end(&shown);
    if (code == TV_OK && viewing.opened.file.is_cut)
        tv_health_tell_cut(cli, viewing.name);
    if (code == TV_OK)
        code = tv_viewer_run(&opts, &err);
    if (code != TV_OK)
        status = tv_cli_fail(cli, viewing.name, &err);
    tv_opened_release(&viewing.opened);
    return status;
}

static const struct tv_option options[] = {
    {.name = "no-browser",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct view_options, no_browser),
     .help = "only print the address; ends on Ctrl-C alone"},
    {.name = "port",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct view_options, port),
     .argument = "PORT",
     .help = "listen on this port of 127.0.0.1 (a free one)",
     .most = UINT16_MAX},
    {.name = "app",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct view_options, app),
     .help = "a window of its own, where a Chromium is there"},
};

const struct tv_verb tv_verb_view = {
    .name = "view",
    .summary = "the viewer in the browser (also without the verb)",
    .arguments = "FILE",
    .argument_count = 1,
    .options = TV_OPTIONS(options),
    .values_len = sizeof(struct view_options),
    .notes = "The address has a secret in it and works on this machine only. The program ends "
             "shortly after\n"
             "the page is closed.",
    .run = run,
};
