/*
 * Where the values of settings come from: the default, the file, the environment, the options, each
 * stronger than the one before; see site/config/settings.h.
 *
 * Each value is read where it is found, so that an error can name its place: a line of the file, a
 * variable, an option. Names that are no setting are errors everywhere, since they were mistyped.
 * What only several settings together can get wrong is checked at the end.
 */
#include "site/config/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/buffer.h"
#include "base/text/out.h"
#include "compare/rule/rule.h"
#include "os/file/paths.h"
#include "site/config/projects.h"
#include "site/config/setting_value.h"
#include "site/config/settings_file.h"
#include "store/store.h"

#define VARIABLE_BEGINNING "TRACEVIEW_SITE_"
#define VARIABLE_CAP 64u
#define FILE_MOST ((size_t)1 << 20)
/* A shorter secret could be found by trying. */
#define SECRET_LEAST 16u
#define SECRET_MOST 256u
/* Columns for name and value when settings are shown, so that the comments behind them stand below
 * each other. */
#define SHOWN_WIDTH 40u
/* How much of a file's name an error repeats. */
#define SHOWN_FILE 90

struct loading {
    struct tv_site_config *config;
    struct tv_settings_origin *origin;
};

/* The variable of a setting: TRACEVIEW_SITE_MAX_UPLOAD for max-upload. */
static void name_variable(const char *setting, char variable[VARIABLE_CAP])
{
    size_t len = (size_t)snprintf(variable, VARIABLE_CAP, VARIABLE_BEGINNING "%s", setting);
    for (size_t i = sizeof(VARIABLE_BEGINNING) - 1; i < len; i++) {
        if (variable[i] == '-')
            variable[i] = '_';
        else if (variable[i] >= 'a' && variable[i] <= 'z')
            variable[i] = (char)(variable[i] - 'a' + 'A');
    }
}

/* Reads one value; an error repeats what was given. `spelled` is the setting as its source calls
 * it. */
static enum tv_code set(struct tv_site_config *config, size_t setting, const char *spelled,
                        struct tv_str value, struct tv_error *err)
{
    struct tv_error inner;
    enum tv_code code = tv_setting_read(config, &tv_site_settings[setting], value, &inner);
    if (code == TV_ERR_ARGUMENT)
        return tv_fail(err, code, TV_NO_OFFSET, "%s '%.*s': %s", spelled, tv_str_shown_len(value),
                       value.at, inner.text);
    return code == TV_OK ? TV_OK : tv_fail(err, code, TV_NO_OFFSET, "%s", inner.text);
}

/* The setting of that name; TV_SITE_SETTING_COUNT: there is none. */
static size_t find_setting(struct tv_str name)
{
    size_t i = 0;
    while (i < TV_SITE_SETTING_COUNT && !tv_str_equal(tv_str_from(tv_site_settings[i].name), name))
        i++;
    return i;
}

/* A setting that stands twice in the file is refused, since one of both lines would have no effect.
 */
static enum tv_code take_line(void *ctx, struct tv_str name, struct tv_str value, unsigned line,
                              struct tv_error *err)
{
    struct loading *loading = ctx;
    size_t i = find_setting(name);
    if (i == TV_SITE_SETTING_COUNT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "no setting has the name '%.*s'",
                       tv_str_shown_len(name), name.at);
    if (loading->origin->of[i].source == TV_FROM_FILE)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s is in line %u already",
                       tv_site_settings[i].name, loading->origin->of[i].line);
    loading->origin->of[i].source = TV_FROM_FILE;
    loading->origin->of[i].line = line;
    return set(loading->config, i, tv_site_settings[i].name, value, err);
}

/* The number of the line goes before the reason, as compilers write it. */
static enum tv_code take_file(struct loading *loading, struct tv_error *err)
{
    const struct tv_settings_reader reader = {take_line, loading};
    const char *file = loading->origin->file;
    struct tv_error inner;
    struct tv_buffer content;
    unsigned line = 0;
    tv_buffer_init(&content, loading->config->texts.alloc);
    enum tv_code code = tv_file_read_small(file, FILE_MOST, &content, &inner);
    if (code == TV_OK)
        code = tv_settings_read_lines(tv_buffer_view(&content), &reader, &line, &inner);
    tv_buffer_release(&content);
    if (code == TV_OK)
        return TV_OK;
    /* The error of a file that cannot be read names the file already. */
    return line ? tv_fail(err, code, TV_NO_OFFSET, "%.*s: line %u: %s", SHOWN_FILE, file, line,
                          inner.text)
                : tv_fail(err, code, TV_NO_OFFSET, "%s", inner.text);
}

/* Refuses a variable that begins like ours and is no setting: it was mistyped. */
static enum tv_code find_unknown_variable(struct tv_error *err)
{
    extern char **environ;
    for (char **entry = environ; entry && *entry; entry++) {
        struct tv_str name = {*entry, strcspn(*entry, "=")};
        bool is_known = !tv_str_starts_with(name, TV_STR(VARIABLE_BEGINNING));
        for (size_t i = 0; !is_known && i < TV_SITE_SETTING_COUNT; i++) {
            char variable[VARIABLE_CAP];
            name_variable(tv_site_settings[i].name, variable);
            is_known = tv_str_equal(name, tv_str_from(variable));
        }
        if (!is_known)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "%.*s in the environment: no setting has this name",
                           tv_str_shown_len(name), name.at);
    }
    return TV_OK;
}

/* A variable that looks like a setting and is none is refused: a misspelt limit would otherwise be
 * no limit. */
static enum tv_code take_environment(struct loading *loading, struct tv_error *err)
{
    TV_TRY(find_unknown_variable(err));
    for (size_t i = 0; i < TV_SITE_SETTING_COUNT; i++) {
        char variable[VARIABLE_CAP];
        name_variable(tv_site_settings[i].name, variable);
        const char *value = getenv(variable);
        if (!value)
            continue;
        TV_TRY(set(loading->config, i, variable, tv_str_from(value), err));
        loading->origin->of[i].source = TV_FROM_ENVIRONMENT;
    }
    return TV_OK;
}

/* Options come last and win. */
static enum tv_code take_options(struct loading *loading, const char *const *options,
                                 struct tv_error *err)
{
    for (size_t i = 0; i < TV_SITE_SETTING_COUNT; i++) {
        char spelled[VARIABLE_CAP];
        if (!options[i])
            continue;
        (void)snprintf(spelled, sizeof(spelled), "--%s", tv_site_settings[i].name);
        TV_TRY(set(loading->config, i, spelled, tv_str_from(options[i]), err));
        loading->origin->of[i].source = TV_FROM_OPTION;
    }
    return TV_OK;
}

/* Fills in the default of `store`, which depends on the user. */
static enum tv_code find_store(struct tv_site_config *config, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    if (config->store[0])
        return TV_OK;
    TV_TRY(tv_path_data(path, "store", err));
    return tv_setting_read(config, &tv_site_settings[TV_SETTING_OF_store], tv_str_from(path), err);
}

/* Whether clients can send the secret in a header: printable, without blanks. */
static bool is_secret(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] <= ' ' || text.at[i] > '~')
            return false;
    }
    return text.len >= SECRET_LEAST && text.len <= SECRET_MOST;
}

/* A secret stands in a file of its own and not among the settings, since these are shown by
 * --check-config. */
static enum tv_code read_secret(struct tv_site_config *config, const char *setting,
                                const char *file, const char **secret, struct tv_error *err)
{
    struct tv_buffer content;
    struct tv_error inner = {.code = TV_OK};
    tv_buffer_init(&content, config->texts.alloc);
    enum tv_code code = tv_file_read_small(file, 2 * SECRET_MOST, &content, &inner);
    struct tv_str text = tv_buffer_view(&content);
    while (text.len && strchr(" \t\r\n", text.at[text.len - 1]))
        text.len--;
    if (code != TV_OK)
        code = tv_fail(err, code, TV_NO_OFFSET, "%s: %s", setting, inner.text);
    else if (!is_secret(text))
        code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s %.*s: must hold %u to %u printable signs without blanks", setting,
                       SHOWN_FILE, file, SECRET_LEAST, SECRET_MOST);
    else
        code = tv_site_config_keep(config, text, secret, err);
    tv_buffer_release(&content);
    return code;
}

/* Rows of all traces have the totals of methods, and nothing of threads by name or single calls. */
static enum tv_code check_rules(const struct tv_site_config *config, struct tv_error *err)
{
    struct tv_rules rules;
    struct tv_error inner = {.code = TV_OK};
    tv_rules_init(&rules, config->texts.alloc);
    enum tv_code code = tv_rules_read(&rules, tv_str_from(config->webhook_rules), &inner);
    if (code != TV_OK)
        code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "webhook-rules %.*s: %s", SHOWN_FILE,
                       config->webhook_rules_file, inner.text);
    for (size_t i = 0; code == TV_OK && i < rules.count; i++) {
        if (rules.of[i].about)
            code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "webhook-rules %.*s: line %llu is about threads of a name or single "
                           "calls, which rows of all traces do not tell",
                           SHOWN_FILE, config->webhook_rules_file,
                           (unsigned long long)rules.of[i].line);
    }
    tv_rules_release(&rules);
    return code;
}

static enum tv_code read_rules(struct tv_site_config *config, struct tv_error *err)
{
    struct tv_buffer content;
    struct tv_error inner = {.code = TV_OK};
    tv_buffer_init(&content, config->texts.alloc);
    enum tv_code code =
        tv_file_read_small(config->webhook_rules_file, TV_RULES_LEN_MOST, &content, &inner);
    if (code != TV_OK)
        code = tv_fail(err, code, TV_NO_OFFSET, "webhook-rules: %s", inner.text);
    else
        code = tv_site_config_keep(config, tv_buffer_view(&content), &config->webhook_rules, err);
    tv_buffer_release(&content);
    return code == TV_OK ? check_rules(config, err) : code;
}

static enum tv_code read_files(struct tv_site_config *config, struct tv_error *err)
{
    if (config->projects_file[0])
        TV_TRY(tv_projects_read(config, config->projects_file, err));
    if (config->webhook[0]) {
        TV_TRY(read_rules(config, err));
        TV_TRY(read_secret(config, "webhook-secret-file", config->webhook_secret_file,
                           &config->webhook_secret, err));
    }
    return config->uploads == TV_UPLOADS_SECRET
               ? read_secret(config, "upload-secret-file", config->upload_secret_file,
                             &config->upload_secret, err)
               : TV_OK;
}

static enum tv_code check_store(const struct tv_site_config *config, struct tv_error *err)
{
    const struct tv_store_place place = {.rows = config->store,
                                         .files = config->files,
                                         .password_file = config->store_password_file};
    struct tv_error inner;
    return tv_store_check_place(&place, &inner) == TV_OK
               ? TV_OK
               : tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "store: %s", inner.text);
}

/* Whoever may look into the settings, or at a list of processes, sees the address: a name and a
 * password have no place in it. */
static enum tv_code check_webhook(const struct tv_site_config *config, struct tv_error *err)
{
    const struct tv_str url = tv_str_from(config->webhook);
    const char *host = strstr(config->webhook, "://");
    if (!url.len)
        return TV_OK;
    if (!tv_str_starts_with(url, TV_STR("http://")) && !tv_str_starts_with(url, TV_STR("https://")))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "webhook: is an address that begins with https:// or http://");
    if (strcspn(host + 3, ":/?#") == 0)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "webhook: has no host behind https:// or http://");
    if (memchr(host + 3, '@', strcspn(host + 3, "/?#")))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "webhook: has no user and no password: requests are signed instead");
    if (!config->webhook_secret_file[0] || !config->webhook_rules_file[0])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "webhook needs webhook-secret-file and webhook-rules");
    if (config->rows == TV_ROWS_NO)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "webhook judges builds by rows of traces: it needs rows = asked or listed");
    return TV_OK;
}

/* Checks what no value alone can get wrong. */
static enum tv_code check_together(const struct tv_site_config *config, struct tv_error *err)
{
    TV_TRY(check_store(config, err));
    TV_TRY(check_webhook(config, err));
    if (config->uploads == TV_UPLOADS_SECRET && !config->upload_secret_file[0])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "uploads = secret needs upload-secret-file");
    if (config->uploads == TV_UPLOADS_PROXY && !config->trusted_proxies.count)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "uploads = proxy needs trusted-proxies, or anybody could name a user");
    if (config->users == TV_USERS_PROXY && !config->trusted_proxies.count)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "users = proxy needs trusted-proxies, or anybody could name a user");
    if (config->archive && (config->sample || config->role == TV_ROLE_WORKER))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "archive = yes takes no sample, and has nothing for workers");
    if (config->admins[0] && config->users == TV_USERS_NONE)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "admins are users: they need users = proxy");
    if (config->rows == TV_ROWS_LISTED && !config->list)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "rows = listed is for a site with a list: it needs list = yes");
    if (config->expires_s > config->expires_most_s)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "expires is longer than expires-most");
    return TV_OK;
}

/* Each source overwrites what the one before has set; what must hold between settings is checked
 * when all are known. */
enum tv_code tv_settings_load(struct tv_site_config *config, const struct tv_settings_given *given,
                              struct tv_settings_origin *origin, struct tv_error *err)
{
    struct loading loading = {config, origin};
    *origin = (struct tv_settings_origin){.file = given->file};
    if (given->file)
        TV_TRY(take_file(&loading, err));
    TV_TRY(take_environment(&loading, err));
    TV_TRY(take_options(&loading, given->options, err));
    TV_TRY(find_store(config, err));
    TV_TRY(check_together(config, err));
    return read_files(config, err);
}

/* Writes where a value comes from, as the text of a comment of the file. */
static void show_origin(const struct tv_settings_origin *origin, size_t i, struct tv_out *out)
{
    char variable[VARIABLE_CAP];
    switch (origin->of[i].source) {
    case TV_FROM_DEFAULT:
        tv_out_add(out, "default");
        break;
    case TV_FROM_FILE:
        tv_out_shown(out, tv_str_from(origin->file), TV_PATH_CAP);
        tv_out_add(out, ", line %u", origin->of[i].line);
        break;
    case TV_FROM_ENVIRONMENT:
        name_variable(tv_site_settings[i].name, variable);
        tv_out_add(out, "%s", variable);
        break;
    case TV_FROM_OPTION:
        tv_out_add(out, "--%s", tv_site_settings[i].name);
        break;
    }
}

/* Each line says where its value comes from, which is the first question when a setting has no
 * effect. */
enum tv_code tv_settings_show(const struct tv_site_config *config,
                              const struct tv_settings_origin *origin, struct tv_sink sink,
                              struct tv_error *err)
{
    struct tv_buffer value;
    struct tv_out out;
    enum tv_code code = TV_OK;
    tv_out_init(&out, sink);
    tv_buffer_init(&value, config->texts.alloc);
    for (size_t i = 0; code == TV_OK && i < TV_SITE_SETTING_COUNT; i++) {
        value.len = 0;
        code = tv_setting_write(config, &tv_site_settings[i], &value, err);
        struct tv_str text = tv_buffer_view(&value);
        tv_out_add(&out, "%s = ", tv_site_settings[i].name);
        tv_out_text(&out, text);
        size_t len = strlen(tv_site_settings[i].name) + text.len;
        tv_out_add(&out, "%*s ; ", len < SHOWN_WIDTH ? (int)(SHOWN_WIDTH - len) : 0, "");
        show_origin(origin, i, &out);
        tv_out_add(&out, "\n");
    }
    tv_buffer_release(&value);
    return code == TV_OK ? tv_out_finish(&out, err) : code;
}
