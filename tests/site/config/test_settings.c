/* site/settings: which source is stronger, and that each bad value is one clear line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "site/config/setting_value.h"
#include "site/config/settings.h"

static char folder[] = "/tmp/traceview-test-XXXXXX";

/* One load of settings. */
struct load {
    struct tv_site_config config;
    struct tv_settings_given given;
    struct tv_settings_origin origin;
    struct tv_error err;
    char file[64];
};

static int make_folder(void **state)
{
    (void)state;
    (void)setenv("HOME", "/home/someone", 1);
    (void)unsetenv("XDG_DATA_HOME");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[256];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static void write_file(struct load *load, const char *name, struct tv_str content)
{
    (void)snprintf(load->file, sizeof(load->file), "%s/%s", folder, name);
    FILE *file = fopen(load->file, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(content.at, 1, content.len, file), content.len);
    assert_int_equal(fclose(file), 0);
}

static void begin(struct load *load, const char *content)
{
    *load = (struct load){.err = {.code = TV_OK}};
    tv_site_config_init(&load->config, tv_alloc_libc());
    if (!content)
        return;
    write_file(load, "site.conf", tv_str_from(content));
    load->given.file = load->file;
}

static enum tv_code end(struct load *load)
{
    return tv_settings_load(&load->config, &load->given, &load->origin, &load->err);
}

static void a_stronger_source_replaces_a_weaker_one(void **state)
{
    struct load load;
    (void)state;
    begin(&load, "# of the team\n\nthreads = 3\r\nlist=yes\nworkers = 3 ; and more\nexpires: 7d\n");
    (void)setenv("TRACEVIEW_SITE_WORKERS", "4", 1);
    (void)setenv("TRACEVIEW_SITE_OPEN_INDEXES", "4", 1);
    load.given.options[TV_SETTING_OF_open_indexes] = "5";
    load.given.options[TV_SETTING_OF_list] = "no";
    assert_int_equal(end(&load), TV_OK);
    (void)unsetenv("TRACEVIEW_SITE_WORKERS");
    (void)unsetenv("TRACEVIEW_SITE_OPEN_INDEXES");
    assert_int_equal(load.config.threads, 3);
    assert_int_equal(load.config.workers, 4);
    assert_int_equal(load.config.open_indexes, 5);
    assert_int_equal(load.config.expires_s, 7 * 86400);
    assert_false(load.config.list);
    assert_int_equal(load.config.connections, 800);
    assert_string_equal(load.config.store, "/home/someone/.local/share/traceview/store");
    assert_int_equal(load.origin.of[TV_SETTING_OF_threads].source, TV_FROM_FILE);
    assert_int_equal(load.origin.of[TV_SETTING_OF_threads].line, 3);
    assert_int_equal(load.origin.of[TV_SETTING_OF_workers].source, TV_FROM_ENVIRONMENT);
    assert_int_equal(load.origin.of[TV_SETTING_OF_open_indexes].source, TV_FROM_OPTION);
    assert_int_equal(load.origin.of[TV_SETTING_OF_connections].source, TV_FROM_DEFAULT);
    tv_site_config_release(&load.config);
}

static void each_bad_line_is_told_with_its_number(void **state)
{
    static const struct {
        const char *content;
        const char *error; /* behind the file's name */
    } rows[] = {
        {"max-upload = 1X\n",
         "line 1: max-upload '1X': must be a size, as 64K, 100M or 2G, of at least 1"},
        {"quota =\n", "line 1: quota '': must be a size, as 64K, 100M or 2G"},
        {"\n\nmax_upload = 1G\n", "line 3: no setting has the name 'max_upload'"},
        {"list = true\n", "line 1: list 'true': must be one of yes|no"},
        {"list = yes\nlist = no\n", "line 2: list is in line 1 already"},
        {"list\n", "line 1: no setting: must be name = value"},
        {"list\nthreads = x\n", "line 1: no setting: must be name = value"},
        {"threads = 2\n[limits]\n",
         "line 2: '[limits]': there are no sections: name = value alone"},
        {"threads = 2\n  4\n", "line 2: begins with a blank: a value ends with its line"},
        {"threads = 65\n", "line 1: threads '65': must be a whole number from 1 to 64"},
        {"listen = 8192\n",
         "line 1: listen '8192': must be an address and a port, as 127.0.0.1:8192 or [::1]:8192"},
        {"base-path = /a/../b\n",
         "line 1: base-path '/a/../b': must be a path as /traces, without a slash at its end"},
        {"base-path = /a/\n",
         "line 1: base-path '/a/': must be a path as /traces, without a slash at its end"},
        {"public-url = https://a/b\n", "line 1: public-url 'https://a/b': must be scheme and host "
                                       "alone, as https://traces.example.org"},
        {"uploads = all\n", "line 1: uploads 'all': must be one of open|secret|proxy|nobody"},
        {"store =\n", "line 1: store '': must be a path"},
        {"expires = 1y\n", "line 1: expires '1y': must be a time, as 30s, 10min, 12h, 90d or "
                           "never, of at least 1min"},
        {"upload-kept = never\n", "line 1: upload-kept 'never': must be a time, as 30s, 10min, "
                                  "12h or 90d, from 1min to 365000d"},
        {"upload-rate = 5\n",
         "line 1: upload-rate '5': must be a rate, as 10/s, 600/min, 120/h or 50/d; 0: no limit"},
        {"trusted-proxies = proxy\n", "line 1: trusted-proxies 'proxy': must be addresses and "
                                      "networks, as 127.0.0.1 10.0.0.0/8 fd00::/8, 32 at most"},
        {"user-header = X User\n",
         "line 1: user-header 'X User': must be the name of a header, as X-Forwarded-User"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        struct load load;
        char expected[400];
        begin(&load, rows[i].content);
        assert_int_equal(end(&load), TV_ERR_ARGUMENT);
        (void)snprintf(expected, sizeof(expected), "%s: %s", load.file, rows[i].error);
        assert_string_equal(load.err.text, expected);
        tv_site_config_release(&load.config);
    }
}

static void files_that_are_none_are_told(void **state)
{
    struct load load;
    char line[300];
    (void)state;
    begin(&load, "");
    write_file(&load, "zero.conf", (struct tv_str){"list\0= yes", 10});
    load.given.file = load.file;
    assert_int_equal(end(&load), TV_ERR_ARGUMENT);
    assert_non_null(strstr(load.err.text, "line 1: has a byte 0: is this a text file?"));
    memset(line, 'x', sizeof(line));
    write_file(&load, "long.conf", (struct tv_str){line, sizeof(line)});
    assert_int_equal(end(&load), TV_ERR_ARGUMENT);
    assert_non_null(strstr(load.err.text, "line 1: longer than "));
    load.given.file = "/nowhere/site.conf";
    assert_int_equal(end(&load), TV_ERR_NOT_FOUND);
    assert_string_equal(load.err.text, "/nowhere/site.conf is not there");
    load.given.file = folder;
    assert_int_equal(end(&load), TV_ERR_SYSTEM);
    tv_site_config_release(&load.config);
}

static void the_environment_and_options_are_told_by_their_own_names(void **state)
{
    struct load load;
    (void)state;
    begin(&load, NULL);
    (void)setenv("TRACEVIEW_SITE_MAX_UPLOAD", "lots", 1);
    assert_int_equal(end(&load), TV_ERR_ARGUMENT);
    assert_non_null(strstr(load.err.text, "TRACEVIEW_SITE_MAX_UPLOAD 'lots': must be a size"));
    (void)unsetenv("TRACEVIEW_SITE_MAX_UPLOAD");
    (void)setenv("TRACEVIEW_SITE_MAXUPLOAD", "1G", 1);
    assert_int_equal(end(&load), TV_ERR_ARGUMENT);
    assert_string_equal(load.err.text,
                        "TRACEVIEW_SITE_MAXUPLOAD in the environment: no setting has "
                        "this name");
    (void)unsetenv("TRACEVIEW_SITE_MAXUPLOAD");
    load.given.options[TV_SETTING_OF_max_upload] = "";
    assert_int_equal(end(&load), TV_ERR_ARGUMENT);
    assert_non_null(strstr(load.err.text, "--max-upload '': must be a size"));
    tv_site_config_release(&load.config);
}

static void values_that_do_not_go_together_are_told(void **state)
{
    static const char *const rows[][2] = {
        {"uploads = secret\n", "uploads = secret needs upload-secret-file"},
        {"uploads = proxy\n",
         "uploads = proxy needs trusted-proxies, or anybody could name a user"},
        {"expires-most = 30d\n", "expires is longer than expires-most"},
        {"expires = never\nexpires-most = 30d\n", "expires is longer than expires-most"},
        {"webhook = ftp://example.org/\n",
         "webhook: is an address that begins with https:// or http://"},
        {"webhook = https://\n", "webhook: has no host behind https:// or http://"},
        {"webhook = http:///in\n", "webhook: has no host behind https:// or http://"},
        {"webhook = https://:8443/in\n", "webhook: has no host behind https:// or http://"},
        {"webhook = https://a:b@example.org/\n",
         "webhook: has no user and no password: requests are signed instead"},
        {"webhook = https://[2001:db8::1]:8443\n",
         "webhook needs webhook-secret-file and webhook-rules"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        struct load load;
        begin(&load, rows[i][0]);
        assert_int_equal(end(&load), TV_ERR_ARGUMENT);
        assert_string_equal(load.err.text, rows[i][1]);
        tv_site_config_release(&load.config);
    }
}

static void the_secret_is_read_and_never_shown(void **state)
{
    struct load load;
    struct tv_buffer shown;
    (void)state;
    begin(&load, "uploads = secret\n");
    tv_buffer_init(&shown, tv_alloc_libc());
    char secret_file[64];
    write_file(&load, "secret", TV_STR("correct-horse-battery\n"));
    memcpy(secret_file, load.file, sizeof(secret_file));
    (void)snprintf(load.file, sizeof(load.file), "%s/site.conf", folder);
    load.given.options[TV_SETTING_OF_upload_secret_file] = secret_file;
    assert_int_equal(end(&load), TV_OK);
    assert_string_equal(load.config.upload_secret, "correct-horse-battery");
    assert_int_equal(tv_settings_show(&load.config, &load.origin, tv_buffer_sink(&shown), NULL),
                     TV_OK);
    assert_int_equal(tv_str_find(tv_buffer_view(&shown), TV_STR("correct"), TV_CASE_FOLD),
                     SIZE_MAX);
    tv_buffer_release(&shown);
    tv_site_config_release(&load.config);
}

static void a_secret_that_can_be_guessed_or_not_sent_is_refused(void **state)
{
    static const char *const rows[] = {"", "short\n", "has a blank in the middle\n",
                                       "caf\xc3\xa9-caf\xc3\xa9-caf\xc3\xa9-caf\xc3\xa9\n"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        struct load load;
        begin(&load, NULL);
        write_file(&load, "secret", tv_str_from(rows[i]));
        load.given.options[TV_SETTING_OF_uploads] = "secret";
        load.given.options[TV_SETTING_OF_upload_secret_file] = load.file;
        assert_int_equal(end(&load), TV_ERR_ARGUMENT);
        assert_non_null(strstr(load.err.text, "must hold 16 to 256 printable signs"));
        assert_string_equal(load.config.upload_secret, "");
        tv_site_config_release(&load.config);
    }
}

/* Loads what was shown, and shows it again: the same values, each from its line. */
static void what_is_shown_is_a_file_that_says_the_same(void **state)
{
    struct load load;
    struct load again;
    struct tv_buffer value;
    struct tv_buffer shown;
    (void)state;
    begin(&load, "listen = [::1]:80\ntrusted-proxies = 10.0.0.0/8, ::1\nbase-path = /traces\n"
                 "upload-rate = 50/d\nmd5-links = no\nrole = worker\nexpires = 36h\n");
    tv_buffer_init(&shown, tv_alloc_libc());
    tv_buffer_init(&value, tv_alloc_libc());
    assert_int_equal(end(&load), TV_OK);
    assert_int_equal(tv_settings_show(&load.config, &load.origin, tv_buffer_sink(&shown), NULL),
                     TV_OK);
    begin(&again, "");
    write_file(&again, "again.conf", tv_buffer_view(&shown));
    if (end(&again) != TV_OK)
        fail_msg("%s", again.err.text);
    for (size_t i = 0; i < TV_SITE_SETTING_COUNT; i++) {
        const struct tv_setting *setting = &tv_site_settings[i];
        value.len = 0;
        assert_int_equal(tv_setting_write(&load.config, setting, &value, NULL), TV_OK);
        size_t first_len = value.len;
        assert_int_equal(tv_setting_write(&again.config, setting, &value, NULL), TV_OK);
        assert_int_equal(value.len, 2 * first_len);
        assert_memory_equal(value.bytes, value.bytes + first_len, first_len);
        assert_int_equal(again.origin.of[i].line, i + 1);
    }
    tv_buffer_release(&value);
    tv_buffer_release(&shown);
    tv_site_config_release(&again.config);
    tv_site_config_release(&load.config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stronger_source_replaces_a_weaker_one),
        cmocka_unit_test(each_bad_line_is_told_with_its_number),
        cmocka_unit_test(files_that_are_none_are_told),
        cmocka_unit_test(the_environment_and_options_are_told_by_their_own_names),
        cmocka_unit_test(values_that_do_not_go_together_are_told),
        cmocka_unit_test(the_secret_is_read_and_never_shown),
        cmocka_unit_test(a_secret_that_can_be_guessed_or_not_sent_is_refused),
        cmocka_unit_test(what_is_shown_is_a_file_that_says_the_same),
    };
    return cmocka_run_group_tests_name("site/settings", tests, make_folder, remove_folder);
}
