/*
 * serve: the site.
 *
 * Settings come from a file, from the environment and from options, the later ones before the
 * earlier (site/config/settings.h); here they are only gathered. What the site does is in src/site,
 * and how it ends is told by its signals.
 */
#include <string.h>

#include "cli/verb.h"
#include "site/config/settings.h"
#include "site/run/run.h"

/* Each setting of the site is an option as well; the table of settings makes both. */
struct serve_options {
    const char *config;
    bool check_config;
    const char *settings[TV_SITE_SETTING_COUNT];
};

static enum tv_code write_answer(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    const struct tv_cli *cli = ctx;
    (void)err;
    (void)fwrite(bytes, 1, len, cli->out);
    return TV_OK;
}

/* The address alone goes to stdout; what to do with it is for people. */
static void tell_listening(void *ctx, const char *url)
{
    const struct tv_cli *cli = ctx;
    if (url) {
        (void)fprintf(cli->out, "%s\n", url);
        (void)fflush(cli->out);
    }
    tv_cli_note(cli, NULL, url ? "ends on Ctrl-C" : "a worker without an address; ends on Ctrl-C");
}

static void tell_note(void *ctx, const char *text)
{
    tv_cli_note(ctx, NULL, "%s", text);
}

/* The address that the site listens at is printed when it does, not before: whoever starts it waits
 * for that line. */
static struct tv_site_run_opts opts_of(struct tv_cli *cli, const struct tv_site_config *config)
{
    return (struct tv_site_run_opts){.alloc = cli->alloc,
                                     .pool = cli->pool,
                                     .config = config,
                                     .version = TV_VERSION,
                                     .listening = tell_listening,
                                     .noted = tell_note,
                                     .ctx = cli};
}

/* The settings, and what the store says of them. */
static enum tv_code check(const struct tv_site_run_opts *opts,
                          const struct tv_settings_origin *origin, struct tv_error *err)
{
    TV_TRY(tv_settings_show(opts->config, origin, (struct tv_sink){write_answer, opts->ctx}, err));
    tv_site_check(opts);
    return TV_OK;
}

/* Does what is asked for with settings that are in force. */
static enum tv_code use(const struct tv_cli *cli, const struct serve_options *options,
                        const struct tv_site_config *config,
                        const struct tv_settings_origin *origin, struct tv_error *err)
{
    struct tv_cli own = *cli;
    if (config->uploads == TV_UPLOADS_OPEN && !tv_address_is_loopback(&config->listen) &&
        config->role != TV_ROLE_WORKER)
        tv_cli_note(cli, NULL, "whoever reaches this machine may upload: see --uploads");
    const struct tv_site_run_opts opts = opts_of(&own, config);
    return options->check_config ? check(&opts, origin, err) : tv_site_run(&opts, err);
}

/* A setting that is wrong is a misuse (status 2), one that cannot be used on this machine a failure
 * (status 1). */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct serve_options *options = values;
    struct tv_settings_given given = {.file = options->config};
    struct tv_settings_origin origin;
    struct tv_site_config config;
    struct tv_error err = {.code = TV_OK};
    int status = TV_STATUS_FINE;
    (void)arguments;
    memcpy(given.options, options->settings, sizeof(given.options));
    tv_site_config_init(&config, cli->alloc);
    enum tv_code code = tv_settings_load(&config, &given, &origin, &err);
    if (code == TV_ERR_ARGUMENT)
        status = tv_cli_misuse(cli, "serve: %s", err.text);
    else if (code != TV_OK || use(cli, options, &config, &origin, &err) != TV_OK)
        status = tv_cli_fail(cli, NULL, &err);
    tv_site_config_release(&config);
    return status;
}

#define OPTION_KIND_LISTEN TV_OPTION_TEXT
#define OPTION_KIND_CHOICE TV_OPTION_TEXT
#define OPTION_KIND_SWITCH TV_OPTION_SWITCH
#define OPTION_KIND_PATH TV_OPTION_TEXT
#define OPTION_KIND_TEXT TV_OPTION_TEXT
#define OPTION_KIND_BASE TV_OPTION_TEXT
#define OPTION_KIND_URL TV_OPTION_TEXT
#define OPTION_KIND_HEADER TV_OPTION_TEXT
#define OPTION_KIND_NETWORKS TV_OPTION_TEXT
#define OPTION_KIND_COUNT TV_OPTION_TEXT
#define OPTION_KIND_SIZE TV_OPTION_TEXT
#define OPTION_KIND_DURATION TV_OPTION_TEXT
#define OPTION_KIND_RATE TV_OPTION_TEXT

/* The values are texts, since a file and the environment give them as texts, too. */
#define OPTION(field_, name_, kind_, initial_, least_, most_, argument_, help_)                    \
    {.name = (name_),                                                                              \
     .kind = OPTION_KIND_##kind_,                                                                  \
     .field = offsetof(struct serve_options, settings[TV_SETTING_OF_##field_]),                    \
     .argument = (argument_),                                                                      \
     .help = (initial_)[0] ? help_ " (" initial_ ")" : (help_)},

static const struct tv_option options[] = {
    {.name = "config",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct serve_options, config),
     .argument = "FILE",
     .help = "read settings from this file"},
    {.name = "check-config",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct serve_options, check_config),
     .help = "only print the settings that are in force, and where each comes from"},
    TV_SITE_SETTINGS(OPTION)};

const struct tv_verb tv_verb_serve = {
    .name = "serve",
    .summary = "a site that keeps traces and shows them to a team",
    .arguments = "",
    .unpacks_nothing = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct serve_options),
    .notes = "Each option but the first two is a setting: it may stand in the file, as NAME = "
             "VALUE, and in the environment, as TRACEVIEW_SITE_NAME. Options are stronger than the "
             "environment, and that is stronger than the file.",
    .examples = {{"traceview serve --check-config", "the settings, and where each comes from"},
                 {"traceview serve --list --max-upload 200M --check-config",
                  "the same, with two of them changed"}},
    .run = run,
};
