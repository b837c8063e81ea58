/* Questions to an adb server that plays a script. */
#include "adb/adb.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "adb/peer.h"
#include "adb/wire.h"

#define VERSION {"000chost:version", "OKAY00040029", 0}, HANG_UP
#define DEVICES(text) VERSION, {"000ehost:devices-l", "OKAY" text, 0}, HANG_UP
#define TRANSPORT                                                                                  \
    {                                                                                              \
        "0010host:transport:A", "OKAY", 0                                                          \
    }
#define PLAY(steps)                                                                                \
    struct peer peer;                                                                              \
    struct tv_adb adb;                                                                             \
    struct tv_error err = {.code = TV_OK};                                                         \
    (void)state;                                                                                   \
    peer_start(&peer, steps, TV_COUNT_OF(steps), &adb)

static const struct tv_adb_target old_target = {.serial = "A"};
static const struct tv_adb_target new_target = {.serial = "A",
                                                .has_shell_v2 = true,
                                                .has_stat_v2 = true,
                                                .has_list_v2 = true,
                                                .has_receive_v2 = true,
                                                .has_apps = true};

static void assert_buffer(struct tv_buffer *buffer, const char *expected)
{
    assert_int_equal(buffer->len, strlen(expected));
    if (buffer->len)
        assert_memory_equal(buffer->bytes, expected, buffer->len);
    tv_buffer_release(buffer);
}

/* Choosing a device */

static void assert_choice(const struct step *steps, size_t count, const char *serial,
                          enum tv_adb_trouble trouble, const char *text)
{
    struct peer peer;
    struct tv_adb adb;
    struct tv_adb_target target;
    struct tv_error err = {.code = TV_OK};
    unsetenv("ANDROID_SERIAL");
    peer_start(&peer, steps, count, &adb);
    assert_int_not_equal(tv_adb_choose(&adb, serial, &target, &err), TV_OK);
    peer_end(&peer);
    assert_string_equal(err.text, text);
    assert_string_equal(tv_adb_trouble_word(adb.trouble), tv_adb_trouble_word(trouble));
}

static void the_only_device_that_can_be_used_is_chosen(void **state)
{
    static const struct step steps[] = {
        DEVICES("0039B offline usb:1\nA device model:Pixel_8\nC unauthorized x:1\n"),
        {"0016host-serial:A:features", "OKAY0012shell_v2,track_app", 0},
    };
    struct tv_adb_target target;
    PLAY(steps);
    assert_int_equal(tv_adb_choose(&adb, NULL, &target, &err), TV_OK);
    peer_end(&peer);
    assert_string_equal(target.serial, "A");
    assert_string_equal(target.model, "Pixel 8");
    assert_true(target.has_shell_v2);
    assert_true(target.has_apps);
    assert_false(target.has_stat_v2);
}

static void what_is_wrong_with_a_device_is_told(void **state)
{
    static const struct step none[] = {DEVICES("0000")};
    static const struct step unauthorised[] = {DEVICES("000fA unauthorized\n")};
    static const struct step offline[] = {DEVICES("000aA offline\n")};
    static const struct step two[] = {DEVICES("0012A device\nB device\n")};
    static const struct step recovery[] = {DEVICES("000bA recovery\n")};
    static const struct step forbidden[] = {DEVICES("0019A no permissions; see [x]\n")};
    (void)state;
    assert_choice(
        none, TV_COUNT_OF(none), NULL, TV_ADB_NO_DEVICE,
        "no device is connected: plug one in and switch on USB debugging in its developer "
        "options, or start an emulator");
    assert_choice(unauthorised, TV_COUNT_OF(unauthorised), NULL, TV_ADB_UNAUTHORISED,
                  "A is unauthorised: unlock it, and say yes to \"Allow USB debugging\" on its "
                  "screen");
    assert_choice(offline, TV_COUNT_OF(offline), NULL, TV_ADB_OFFLINE,
                  "A is offline: take its cable out and in, or say `adb reconnect`");
    assert_choice(two, TV_COUNT_OF(two), NULL, TV_ADB_SEVERAL,
                  "2 devices are connected: say which one by -s SERIAL or ANDROID_SERIAL (A, B)");
    assert_choice(two, TV_COUNT_OF(two), "X", TV_ADB_NOT_THERE,
                  "no device has the serial number X: `traceview devices` lists those that are "
                  "there");
    assert_choice(
        recovery, TV_COUNT_OF(recovery), "A", TV_ADB_UNUSABLE,
        "A is in the state \"recovery\": start its Android, with `adb reboot` or by hand");
    assert_choice(forbidden, TV_COUNT_OF(forbidden), NULL, TV_ADB_NO_PERMISSION,
                  "A may not be opened by this user: install the udev rules (package "
                  "android-sdk-platform-tools-common), join the group plugdev, and take the cable "
                  "out and in");
}

static void another_server_is_told_from_adb(void **state)
{
    static const struct step old[] = {{"000chost:version", "OKAY0004001f", 0}};
    static const struct step web[] = {{"000chost:version", "HTTP/1.1 400 Bad Request\r\n", 0}};
    static const struct step shut[] = {{"000chost:version", "OK", 0}};
    static const struct step odd[] = {{"000chost:version", "OKAY0004zzzz", 0}};
    static const struct {
        const struct step *steps;
        const char *text;
    } cases[] = {
        {old, "has version 31 of its protocol, and 36 is the oldest that will do: update adb, and "
              "say `adb kill-server`"},
        {web, "is no adb server: end it, or set ANDROID_ADB_SERVER_PORT to the port of yours"},
        {shut, "is no adb server: end it, or set ANDROID_ADB_SERVER_PORT to the port of yours"},
        {odd, "is no adb server: end it, or set ANDROID_ADB_SERVER_PORT to the port of yours"},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct peer peer;
        struct tv_adb adb;
        struct tv_error err;
        uint32_t version;
        (void)state;
        peer_start(&peer, cases[i].steps, 1, &adb);
        assert_int_equal(tv_adb_server_version(&adb, &version, &err), TV_ERR_UNSUPPORTED);
        assert_int_equal(adb.trouble, TV_ADB_OTHER_VERSION);
        assert_non_null(strstr(err.text, cases[i].text));
        peer_end(&peer);
    }
}

static void without_server_and_program_adb_is_missing(void **state)
{
    struct tv_adb adb;
    struct tv_error err;
    uint32_t version;
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    (void)state;
    tv_adb_init(&adb, tv_alloc_libc());
    (void)snprintf(adb.host, sizeof(adb.host), "127.0.0.1");
    (void)snprintf(adb.port, sizeof(adb.port), "1"); /* nobody listens there */
    setenv("PATH", "/nowhere", 1);
    setenv("HOME", "/nowhere", 1);
    unsetenv("ANDROID_HOME");
    unsetenv("ANDROID_SDK_ROOT");
    assert_int_equal(tv_adb_server_version(&adb, &version, &err), TV_ERR_NOT_FOUND);
    assert_int_equal(adb.trouble, TV_ADB_NO_ADB);
    assert_string_equal(err.text, "adb is not installed: it comes with the Android SDK platform "
                                  "tools, and as the package adb of Debian and Ubuntu");
    adb.may_start = false;
    assert_int_equal(tv_adb_server_version(&adb, &version, &err), TV_ERR_SYSTEM);
    assert_int_equal(adb.trouble, TV_ADB_NOT_STARTED);
    setenv("PATH", path, 1);
    free(path);
}

static void the_server_is_where_the_environment_says(void **state)
{
    struct tv_adb adb;
    (void)state;
    setenv("ANDROID_ADB_SERVER_PORT", "5099", 1);
    tv_adb_init(&adb, tv_alloc_libc());
    assert_string_equal(adb.port, "5099");
    assert_string_equal(adb.host, "127.0.0.1");
    setenv("ADB_SERVER_SOCKET", "tcp:there:1234", 1);
    tv_adb_init(&adb, tv_alloc_libc());
    assert_string_equal(adb.port, "1234");
    assert_string_equal(adb.host, "there");
    setenv("ADB_SERVER_SOCKET", "tcp:77", 1);
    tv_adb_init(&adb, tv_alloc_libc());
    assert_string_equal(adb.port, "77");
    assert_string_equal(adb.host, "127.0.0.1");
    unsetenv("ADB_SERVER_SOCKET");
    unsetenv("ANDROID_ADB_SERVER_PORT");
}

static bool count_devices(void *ctx, const struct tv_adb_devices *devices)
{
    size_t *seen = ctx;
    *seen = *seen * 10 + devices->count + 1;
    return devices->count < 2;
}

static void devices_are_told_of_until_enough(void **state)
{
    static const struct step steps[] = {
        VERSION, {"0014host:track-devices-l", "OKAY00000009A device\n0012A device\nB device\n", 0}};
    size_t seen = 0;
    PLAY(steps);
    assert_int_equal(tv_adb_track_devices(&adb, count_devices, &seen, &err), TV_OK);
    assert_int_equal(seen, 123);
    peer_end(&peer);
}

static void an_old_server_has_the_short_list(void **state)
{
    static const struct step steps[] = {
        VERSION,
        {"0014host:track-devices-l", "FAIL0014unknown host service", 0},
        HANG_UP,
        VERSION,
        {"0012host:track-devices", "OKAY0012A\tdevice\nB\tdevice\n", 0}};
    size_t seen = 0;
    PLAY(steps);
    assert_int_equal(tv_adb_track_devices(&adb, count_devices, &seen, &err), TV_OK);
    assert_int_equal(seen, 3);
    peer_end(&peer);
}

/* Commands */

static void a_shell_of_version_2_has_two_outputs_and_a_status(void **state)
{
    static const struct step steps[] = {
        TRANSPORT,
        {"000fshell,v2,raw:id", BYTES("OKAY\1\3\0\0\0one\2\2\0\0\0no\1\1\0\0\0\n"
                                      "\3\1\0\0\0\7")}};
    struct tv_buffer out, err_out;
    PLAY(steps);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_buffer_init(&err_out, tv_alloc_libc());
    struct tv_adb_shell shell = {
        .command = "id", .out = tv_buffer_sink(&out), .err_out = tv_buffer_sink(&err_out)};
    assert_int_equal(tv_adb_run(&adb, &new_target, &shell, &err), TV_OK);
    assert_int_equal(shell.status, 7);
    assert_buffer(&out, "one\n");
    assert_buffer(&err_out, "no");
    peer_end(&peer);
}

static void a_shell_of_version_1_has_a_line_for_its_status(void **state)
{
    static const struct step steps[] = {
        TRANSPORT, {"001bshell:id; echo tv-status:$?", "OKAYone\r\ntv-status:7\r\n", 0}};
    struct tv_buffer out;
    int status;
    PLAY(steps);
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_adb_ask(&adb, &old_target, "id", &out, &status, &err), TV_OK);
    assert_int_equal(status, 7);
    assert_buffer(&out, "one\n");
    peer_end(&peer);
}

static void a_command_whose_connection_ends_is_gone(void **state)
{
    static const struct step v1[] = {TRANSPORT,
                                     {"001bshell:id; echo tv-status:$?", "OKAYone\r\ntv-", 0}};
    static const struct step v2[] = {TRANSPORT,
                                     {"000fshell,v2,raw:id", BYTES("OKAY\1\7\0\0\0one")}};
    static const struct step heads[] = {TRANSPORT, {"000fshell,v2,raw:id", BYTES("OKAY\1\7\0")}};
    const struct step *const all[] = {v1, v2, heads};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(all); i++) {
        struct peer peer;
        struct tv_adb adb;
        struct tv_buffer out;
        int status;
        tv_buffer_init(&out, tv_alloc_libc());
        peer_start(&peer, all[i], 2, &adb);
        assert_int_equal(tv_adb_ask(&adb, i ? &new_target : &old_target, "id", &out, &status, NULL),
                         TV_ERR_SYSTEM);
        assert_int_equal(adb.trouble, TV_ADB_GONE);
        tv_buffer_release(&out);
        peer_end(&peer);
    }
}

static void garbage_in_a_shell_is_named(void **state)
{
    static const struct step steps[] = {TRANSPORT,
                                        {"000fshell,v2,raw:id", BYTES("OKAY\x63\7\0\0\0garbage")}};
    struct tv_buffer out;
    int status;
    PLAY(steps);
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_adb_ask(&adb, &new_target, "id", &out, &status, &err), TV_ERR_FORMAT);
    assert_string_equal(err.text, "the device sent a packet of kind 99 in the output of a command");
    assert_int_equal(adb.trouble, TV_ADB_GARBAGE);
    tv_buffer_release(&out);
    peer_end(&peer);
}

static void a_silent_device_is_given_up(void **state)
{
    static const struct step steps[] = {
        TRANSPORT, {"000fshell,v2,raw:id", "OKAY", 0}, {"never", "", 0}};
    struct tv_adb_shell shell = {.command = "id", .most_ms = 50};
    PLAY(steps);
    assert_int_equal(tv_adb_run(&adb, &new_target, &shell, &err), TV_ERR_SYSTEM);
    assert_int_equal(adb.trouble, TV_ADB_SILENT);
    assert_string_equal(err.text, "`id` on the device took longer than 0.1 seconds");
    (void)pthread_join(peer.thread, NULL);
}

/* No wait is longer than the patience, but the answer has no end. */
static void a_device_that_drips_is_given_up(void **state)
{
    static char many[1000] = "OKAY03e0";
    const struct step steps[] = {VERSION, {"000ehost:devices-l", many, sizeof(many)}};
    struct tv_adb_devices devices;
    PLAY(steps);
    tv_adb_devices_init(&devices, tv_alloc_libc());
    adb.patience_ms = 500;
    peer.drip_ms = 10;
    assert_int_equal(tv_adb_list_devices(&adb, &devices, &err), TV_ERR_SYSTEM);
    assert_int_equal(adb.trouble, TV_ADB_SILENT);
    assert_non_null(strstr(err.text, "which is given up"));
    tv_adb_devices_release(&devices);
    peer_end(&peer);
}

static void a_wait_can_be_cancelled(void **state)
{
    static const struct step steps[] = {
        TRANSPORT, {"000fshell,v2,raw:id", "OKAY", 0}, {"never", "", 0}};
    struct tv_adb_shell shell = {.command = "id"};
    int cancel[2];
    PLAY(steps);
    assert_int_equal(pipe(cancel), 0);
    assert_int_equal(write(cancel[1], "x", 1), 1);
    adb.cancel_fd = cancel[0];
    assert_int_equal(tv_adb_run(&adb, &new_target, &shell, &err), TV_ERR_CANCELLED);
    assert_int_equal(adb.trouble, TV_ADB_CANCELLED);
    (void)close(cancel[0]);
    (void)close(cancel[1]);
    (void)shutdown(peer.listener, SHUT_RDWR); /* it may wait for a connection still */
    (void)pthread_join(peer.thread, NULL);
}

static void words_for_sh_are_quoted_where_needed(void **state)
{
    static const struct {
        const char *word, *quoted;
    } cases[] = {{"/data/local/tmp/a-b_1.trace", "/data/local/tmp/a-b_1.trace"},
                 {"", "''"},
                 {"a b", "'a b'"},
                 {"it's $x;", "'it'\\''s $x;'"}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_buffer command;
        tv_buffer_init(&command, tv_alloc_libc());
        assert_int_equal(tv_adb_quote(&command, tv_str_from(cases[i].word), NULL), TV_OK);
        assert_buffer(&command, cases[i].quoted);
    }
}

/* Files */

#define STAT_V1(len) "STAT\xa4\x81\0\0" len "\x39\x30\0\0"
#define STAT_V2(len)                                                                               \
    "STA2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xa4\x81\0\0\0\0\0\0\0\0\0\0\0\0\0\0" len         \
    "\0\0\0\0\0\0\0\0\0\0\0\0\x39\x30\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define SYNC                                                                                       \
    {                                                                                              \
        "0005sync:", "OKAY", 0                                                                     \
    }

static void a_file_is_looked_at_in_both_versions(void **state)
{
    static const struct step v1[] = {TRANSPORT, SYNC, {"STAT", BYTES(STAT_V1("\x05\0\0\0"))}};
    static const struct step v2[] = {TRANSPORT, SYNC, {"STA2", BYTES(STAT_V2("\x05\0\0\0"))}};
    struct tv_adb_stat stat;
    {
        PLAY(v1);
        assert_int_equal(tv_adb_stat(&adb, &old_target, "/a", &stat, &err), TV_OK);
        assert_int_equal(stat.len, 5);
        assert_int_equal(stat.changed_s, 12345);
        peer_end(&peer);
    }
    {
        PLAY(v2);
        assert_int_equal(tv_adb_stat(&adb, &new_target, "/a", &stat, &err), TV_OK);
        assert_true(stat.is_there);
        assert_int_equal(stat.len, 5);
        assert_int_equal(stat.changed_s, 12345);
        peer_end(&peer);
    }
}

static void gather(void *ctx, struct tv_str name, const struct tv_adb_stat *stat)
{
    assert_int_equal(stat->len, 5);
    assert_int_equal(tv_buffer_append(ctx, name.at, name.len, NULL), TV_OK);
}

static void a_folder_is_listed(void **state)
{
    static const struct step steps[] = {
        TRANSPORT,
        SYNC,
        {"LIST",
         BYTES("DENT\xed\x41\0\0\x05\0\0\0\0\0\0\0\1\0\0\0.DENT\xa4\x81\0\0\x05\0\0\0\0\0\0\0"
               "\2\0\0\0abDONE\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")}};
    struct tv_buffer names;
    PLAY(steps);
    tv_buffer_init(&names, tv_alloc_libc());
    assert_int_equal(tv_adb_list(&adb, &old_target, "/a", gather, &names, &err), TV_OK);
    assert_buffer(&names, "ab");
    peer_end(&peer);
}

#define RECEIVED(bytes)                                                                            \
    TRANSPORT, SYNC,                                                                               \
    {                                                                                              \
        "RECV", BYTES(bytes)                                                                       \
    }

static void a_file_is_received_from_a_place(void **state)
{
    static const struct step steps[] = {RECEIVED("DATA\3\0\0\0abcDATA\4\0\0\0defgDONE\0\0\0\0"),
                                        {"STAT", BYTES(STAT_V1("\x09\0\0\0"))}};
    struct tv_buffer bytes;
    PLAY(steps);
    tv_buffer_init(&bytes, tv_alloc_libc());
    struct tv_adb_pull pull = {.path = "/a", .from = 4, .sink = tv_buffer_sink(&bytes)};
    assert_int_equal(tv_adb_receive(&adb, &old_target, &pull, &err), TV_OK);
    assert_int_equal(pull.done, 7);
    assert_int_equal(pull.after.len, 9);
    assert_buffer(&bytes, "efg");
    peer_end(&peer);
}

static void the_reason_of_a_device_is_told(void **state)
{
    static const struct step plain[] = {TRANSPORT, SYNC, {"RECV", BYTES("FAIL\6\0\0\0denied")}};
    struct tv_adb_pull pull = {.path = "/a", .sink = {.write = NULL}};
    PLAY(plain);
    assert_int_equal(tv_adb_receive(&adb, &old_target, &pull, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "/a on the device: denied");
    assert_int_equal(adb.trouble, TV_ADB_REFUSED);
    peer_end(&peer);
}

/* A reason may be as long as a piece of a file. */
static void the_longest_reason_of_a_device_is_told(void **state)
{
    static char said[8 + TV_ADB_SYNC_DATA_MOST] = "FAIL\0\0\1";
    const struct step steps[] = {TRANSPORT, SYNC, {"RECV", said, sizeof(said)}};
    struct tv_adb_pull pull = {.path = "/a", .sink = {.write = NULL}};
    memset(said + 8, 'x', TV_ADB_SYNC_DATA_MOST);
    PLAY(steps);
    assert_int_equal(tv_adb_receive(&adb, &old_target, &pull, &err), TV_ERR_SYSTEM);
    assert_int_equal(adb.trouble, TV_ADB_REFUSED);
    peer_end(&peer);
}

static void answers_that_are_too_long_are_garbage(void **state)
{
    static const struct step data[] = {TRANSPORT, SYNC, {"RECV", BYTES("DATA\1\0\1\0x")}};
    static const struct step reason[] = {TRANSPORT, SYNC, {"RECV", BYTES("FAIL\xff\xff\xff\xff")}};
    static const struct step word[] = {TRANSPORT, SYNC, {"RECV", BYTES("What\1\0\1\0x")}};
    const struct step *const all[] = {data, reason, word};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(all); i++) {
        struct peer peer;
        struct tv_adb adb;
        struct tv_adb_pull pull = {.path = "/a", .sink = {.write = NULL}};
        peer_start(&peer, all[i], 3, &adb);
        assert_int_equal(tv_adb_receive(&adb, &old_target, &pull, NULL), TV_ERR_FORMAT);
        assert_int_equal(adb.trouble, TV_ADB_GARBAGE);
        peer_end(&peer);
    }
}

/* The cable is out after 3 of 7 bytes, and in again: nothing comes twice, and the rest by tail. */
static void a_pull_goes_on_where_it_ended(void **state)
{
    static const struct step steps[] = {
        TRANSPORT,
        SYNC,
        {"RCV2", BYTES("DATA\3\0\0\0abcDATA\4\0\0\0d")},
        HANG_UP,
        DEVICES("0000"),
        DEVICES("0009A device\n"),
        TRANSPORT,
        SYNC,
        {"STA2", BYTES(STAT_V2("\x07\0\0\0"))},
        HANG_UP,
        TRANSPORT,
        {"001dshell,v2,raw:tail -c +4 '/ a'", BYTES("OKAY\1\4\0\0\0defg\3\1\0\0\0\0")},
        HANG_UP,
        TRANSPORT,
        SYNC,
        {"STA2", BYTES(STAT_V2("\x07\0\0\0"))}};
    char got[8] = "", path[] = "/tmp/traceview-test-XXXXXX";
    int fd = mkstemp(path);
    PLAY(steps);
    (void)unlink(path);
    struct tv_adb_fetch fetch = {
        .path = "/ a", .fd = fd, .wait_ms = 60000, .stat = {.len = 7, .changed_s = 12345}};
    assert_int_equal(tv_adb_fetch(&adb, &new_target, &fetch, &err), TV_OK);
    assert_true(fetch.has_all);
    assert_int_equal(fetch.done, 7);
    assert_int_equal(pread(fd, got, sizeof(got), 0), 7);
    assert_string_equal(got, "abcdefg");
    peer_end(&peer);
    (void)close(fd);
}

/* Fetches /a from an old device that plays the steps; the file was 7 bytes long. */
static enum tv_code fetch_old(const struct step *steps, size_t count, struct tv_adb_fetch *fetch,
                              struct tv_error *err)
{
    struct peer peer;
    struct tv_adb adb;
    char path[] = "/tmp/traceview-test-XXXXXX";
    peer_start(&peer, steps, count, &adb);
    fetch->path = "/a";
    fetch->fd = mkstemp(path);
    (void)unlink(path);
    fetch->stat = (struct tv_adb_stat){.len = 7, .changed_s = 12345};
    enum tv_code code = tv_adb_fetch(&adb, &old_target, fetch, err);
    peer_end(&peer);
    (void)close(fetch->fd);
    return code;
}

static void a_file_that_grows_is_no_failure(void **state)
{
    static const struct step steps[] = {RECEIVED("DATA\7\0\0\0abcdefgDONE\0\0\0\0"),
                                        {"STAT", BYTES(STAT_V1("\x09\0\0\0"))}};
    struct tv_adb_fetch fetch = {.wait_ms = 0};
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(fetch_old(steps, TV_COUNT_OF(steps), &fetch, &err), TV_OK);
    assert_false(fetch.has_all);
    assert_int_equal(fetch.done, 7);
    assert_int_equal(fetch.stat.len, 9);
}

static void a_file_that_changed_is_not_gone_on_with(void **state)
{
    static const struct step steps[] = {
        TRANSPORT, SYNC, {"RECV", BYTES("DATA\3\0\0\0abc")},    HANG_UP, DEVICES("0009A device\n"),
        TRANSPORT, SYNC, {"STAT", BYTES(STAT_V1("\x08\0\0\0"))}};
    struct tv_adb_fetch fetch = {.wait_ms = 60000};
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(fetch_old(steps, TV_COUNT_OF(steps), &fetch, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "/a has changed on the device since its beginning was pulled: "
                                  "pull it anew");
}

/* One that is written by nobody else may be longer. */
static void a_file_that_only_grows_is_gone_on_with(void **state)
{
    static const struct step steps[] = {TRANSPORT,
                                        SYNC,
                                        {"RECV", BYTES("DATA\3\0\0\0abc")},
                                        HANG_UP,
                                        DEVICES("0009A device\n"),
                                        TRANSPORT,
                                        SYNC,
                                        {"STAT", BYTES(STAT_V1("\x08\0\0\0"))},
                                        HANG_UP,
                                        RECEIVED("DATA\x08\0\0\0abcdefghDONE\0\0\0\0"),
                                        {"STAT", BYTES(STAT_V1("\x08\0\0\0"))}};
    struct tv_adb_fetch fetch = {.wait_ms = 60000, .only_grows = true};
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(fetch_old(steps, TV_COUNT_OF(steps), &fetch, &err), TV_OK);
    assert_true(fetch.has_all);
    assert_int_equal(fetch.done, 8);
}

static bool refuse_to_wait(void *ctx, uint64_t done, uint64_t of, bool is_waiting)
{
    (void)ctx;
    (void)done;
    (void)of;
    return !is_waiting;
}

/* Waiting for the device would not help. */
static void a_refused_file_is_not_waited_for(void **state)
{
    static const struct step steps[] = {
        TRANSPORT, SYNC, {"RECV", BYTES("FAIL\6\0\0\0denied")}, HANG_UP};
    struct tv_adb_fetch fetch = {.wait_ms = 60000, .tell = refuse_to_wait};
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(fetch_old(steps, TV_COUNT_OF(steps), &fetch, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "/a on the device: denied");
}

/* The file had 7 bytes, and 9 come: the device is asked again, before they are in the file. */
static void more_than_the_length_is_asked_for(void **state)
{
#define NINE_COME(now)                                                                             \
    TRANSPORT, SYNC, {"RCV2", BYTES("DATA\x09\0\0\0abcdefghiDONE\0\0\0\0")}, OTHER_CONNECTION,     \
        TRANSPORT, SYNC,                                                                           \
    {                                                                                              \
        "STA2", BYTES(STAT_V2(now))                                                                \
    }
    static const struct step grown[] = {
        NINE_COME("\x09\0\0\0"), OTHER_CONNECTION, {"STA2", BYTES(STAT_V2("\x09\0\0\0"))}};
    static const struct step endless[] = {NINE_COME("\x07\0\0\0")};
    char path[] = "/tmp/traceview-test-XXXXXX";
    struct tv_adb_fetch fetch = {.path = "/a", .fd = mkstemp(path), .stat = {.len = 7}};
    (void)unlink(path);
    {
        PLAY(grown);
        assert_int_equal(tv_adb_fetch(&adb, &new_target, &fetch, &err), TV_OK);
        assert_int_equal(fetch.done, 9);
        assert_true(fetch.has_all);
        peer_end(&peer);
    }
    assert_int_equal(ftruncate(fetch.fd, 0), 0);
    fetch.stat = (struct tv_adb_stat){.len = 7};
    {
        PLAY(endless);
        assert_int_equal(tv_adb_fetch(&adb, &new_target, &fetch, &err), TV_ERR_FORMAT);
        assert_string_equal(err.text, "the device sends more of /a than the 7 bytes that it says "
                                      "the file has");
        assert_int_equal(adb.trouble, TV_ADB_GARBAGE);
        assert_int_equal(lseek(fetch.fd, 0, SEEK_END), 0);
        peer_end(&peer);
    }
    (void)close(fetch.fd);
}

/* The device says that it has 7 bytes, and sends 3. */
static void a_length_that_is_not_sent_is_told(void **state)
{
    static const struct step steps[] = {RECEIVED("DATA\3\0\0\0abcDONE\0\0\0\0"),
                                        {"STAT", BYTES(STAT_V1("\x07\0\0\0"))}};
    struct tv_adb_fetch fetch = {.wait_ms = 0};
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(fetch_old(steps, TV_COUNT_OF(steps), &fetch, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "the device says that /a has 7 bytes, and sent 3: pull it again");
}

/* Processes and ports */

static void processes_are_those_of_two_lists(void **state)
{
    static const struct step steps[] = {
        TRANSPORT,
        {"000atrack-jdwp", "OKAY00040012", 0},
        HANG_UP,
        TRANSPORT,
        {"0035shell:getprop ro.build.version.sdk; echo tv-status:$?", "OKAY23\r\ntv-status:0\r\n",
         0},
        HANG_UP,
        TRANSPORT,
        {"001bshell:ps; echo tv-status:$?",
         "OKAYUSER PID PPID VSIZE RSS WCHAN PC NAME\r\n"
         "u0_a5 12 1 2 3 4 5 S com.a\r\ntv-status:0\r\n",
         0}};
    struct tv_adb_processes processes;
    PLAY(steps);
    tv_adb_processes_init(&processes, tv_alloc_libc());
    assert_int_equal(tv_adb_list_processes(&adb, &old_target, &processes, &err), TV_OK);
    assert_int_equal(processes.count, 1);
    assert_int_equal(processes.of[0].pid, 12);
    assert_memory_equal(processes.of[0].name.at, "com.a", 5);
    tv_adb_processes_release(&processes);
    peer_end(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_only_device_that_can_be_used_is_chosen),
        cmocka_unit_test(what_is_wrong_with_a_device_is_told),
        cmocka_unit_test(another_server_is_told_from_adb),
        cmocka_unit_test(without_server_and_program_adb_is_missing),
        cmocka_unit_test(the_server_is_where_the_environment_says),
        cmocka_unit_test(devices_are_told_of_until_enough),
        cmocka_unit_test(an_old_server_has_the_short_list),
        cmocka_unit_test(a_shell_of_version_2_has_two_outputs_and_a_status),
        cmocka_unit_test(a_shell_of_version_1_has_a_line_for_its_status),
        cmocka_unit_test(a_command_whose_connection_ends_is_gone),
        cmocka_unit_test(garbage_in_a_shell_is_named),
        cmocka_unit_test(a_silent_device_is_given_up),
        cmocka_unit_test(a_device_that_drips_is_given_up),
        cmocka_unit_test(a_wait_can_be_cancelled),
        cmocka_unit_test(words_for_sh_are_quoted_where_needed),
        cmocka_unit_test(a_file_is_looked_at_in_both_versions),
        cmocka_unit_test(a_folder_is_listed),
        cmocka_unit_test(a_file_is_received_from_a_place),
        cmocka_unit_test(the_reason_of_a_device_is_told),
        cmocka_unit_test(the_longest_reason_of_a_device_is_told),
        cmocka_unit_test(answers_that_are_too_long_are_garbage),
        cmocka_unit_test(a_pull_goes_on_where_it_ended),
        cmocka_unit_test(a_file_that_grows_is_no_failure),
        cmocka_unit_test(a_file_that_changed_is_not_gone_on_with),
        cmocka_unit_test(a_file_that_only_grows_is_gone_on_with),
        cmocka_unit_test(a_refused_file_is_not_waited_for),
        cmocka_unit_test(more_than_the_length_is_asked_for),
        cmocka_unit_test(a_length_that_is_not_sent_is_told),
        cmocka_unit_test(processes_are_those_of_two_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
