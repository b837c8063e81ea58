/*
 * Questions to the adb server; see adb/server.h.
 *
 * A request is a text with its length before it, and the answer begins with OKAY or FAIL. A
 * question about a device goes by a connection of its own, which first asks to be switched to the
 * device. Anything may listen at the port, so an answer that is not adb's is told as that.
 *
 * A failure sets adb->trouble, which decides what the user is advised to do; the text of the
 * failure is what adb said, if it said anything.
 */
#include "adb/server.h"

#include <stdio.h>

#include "adb/start.h"
#include "adb/wire.h"

/* Servers before 36 (2016) do not tell what a device understands. */
#define OLDEST_VERSION 36u

/* Starts the server if nobody listens, and tries once more. */
enum tv_code tv_adb_open(struct tv_adb_connection *connection, struct tv_adb *adb,
                         struct tv_error *err)
{
    bool is_refused;
    tv_adb_connection_init(connection, adb);
    enum tv_code code = tv_adb_connection_open(connection, &is_refused, err);
    if (code == TV_OK || !is_refused || !tv_adb_may_start(adb))
        return code;
    TV_TRY(tv_adb_start(adb, err));
    return tv_adb_connection_open(connection, &is_refused, err);
}

static enum tv_code fail_no_server(struct tv_adb *adb, struct tv_error *err)
{
    return tv_adb_fail(adb, TV_ADB_OTHER_VERSION, err,
                       "what listens at %s:%s is no adb server: end it, or set "
                       "ANDROID_ADB_SERVER_PORT to the port of yours",
                       adb->host, adb->port);
}

/* The text is borrowed until the next bytes are taken: it stands in the connection's room. */
enum tv_code tv_adb_take_text(struct tv_adb_connection *connection, struct tv_str *text,
                              struct tv_error *err)
{
    const uint8_t *bytes;
    uint32_t len;
    TV_TRY(tv_adb_take(connection, TV_ADB_WORD_LEN, &bytes, err));
    if (!tv_adb_read_length(bytes, &len))
        return tv_adb_fail(connection->adb, TV_ADB_GARBAGE, err,
                           "an answer of adb begins with \"%.4s\" where its length belongs: try "
                           "`adb kill-server`, and again",
                           (const char *)bytes);
    TV_TRY(tv_adb_take(connection, len, &bytes, err));
    *text = (struct tv_str){(const char *)bytes, len};
    return TV_OK;
}

/* Each state with what brings the device out of it. The texts are the only help that many users
 * get, so they name the command or the button. */
enum tv_code tv_adb_fail_state(struct tv_adb *adb, enum tv_adb_trouble trouble,
                               struct tv_str serial, struct tv_str word, struct tv_error *err)
{
    const int len = tv_str_shown_len(serial), word_len = tv_str_shown_len(word);
    switch (trouble) {
    case TV_ADB_UNAUTHORISED:
        return tv_adb_fail(adb, trouble, err,
                           "%.*s is unauthorised: unlock it, and say yes to \"Allow USB "
                           "debugging\" on its screen",
                           len, serial.at);
    case TV_ADB_NO_PERMISSION:
        return tv_adb_fail(adb, trouble, err,
                           "%.*s may not be opened by this user: install the udev rules (package "
                           "android-sdk-platform-tools-common), join the group plugdev, and "
                           "take the cable out and in",
                           len, serial.at);
    case TV_ADB_OFFLINE:
        return tv_adb_fail(adb, trouble, err,
                           "%.*s is offline: take its cable out and in, or say `adb reconnect`",
                           len, serial.at);
    case TV_ADB_NO_DEVICE:
        return tv_adb_fail(adb, trouble, err, TV_ADB_ADVICE_NO_DEVICE);
    case TV_ADB_NOT_THERE:
        return tv_adb_fail(adb, trouble, err,
                           "no device has the serial number %.*s: `traceview devices` lists those "
                           "that are there",
                           len, serial.at);
    case TV_ADB_UNUSABLE:
        return tv_adb_fail(adb, trouble, err,
                           "%.*s is in the state \"%.*s\": start its Android, with `adb reboot` or "
                           "by hand",
                           len, serial.at, word_len, word.at);
    case TV_ADB_NONE:
    case TV_ADB_NO_ADB:
    case TV_ADB_NOT_STARTED:
    case TV_ADB_OTHER_VERSION:
    case TV_ADB_SEVERAL:
    case TV_ADB_GONE:
    case TV_ADB_SILENT:
    case TV_ADB_GARBAGE:
    case TV_ADB_REFUSED:
    case TV_ADB_CANCELLED:
    case TV_ADB_HERE:
        break;
    }
    return tv_adb_fail(adb, trouble, err, "%.*s: %.*s", len, serial.at, word_len, word.at);
}

static enum tv_code fail_refused(struct tv_adb_connection *connection, struct tv_error *err)
{
    struct tv_str reason;
    TV_TRY(tv_adb_take_text(connection, &reason, err));
    return tv_adb_fail(connection->adb, tv_adb_trouble_of(reason), err, "adb says: %.*s",
                       tv_str_shown_len(reason), reason.at);
}

enum tv_code tv_adb_take_status(struct tv_adb_connection *connection, struct tv_error *err)
{
    const uint8_t *word;
    TV_TRY(tv_adb_take(connection, TV_ADB_WORD_LEN, &word, err));
    if (tv_adb_is_word(word, "OKAY"))
        return TV_OK;
    if (!tv_adb_is_word(word, "FAIL"))
        return fail_no_server(connection->adb, err);
    return fail_refused(connection, err);
}

/* The whole request is put together first, so that length and text leave in one piece. */
static enum tv_code send_request(struct tv_adb_connection *connection, const char *request,
                                 struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, adb->alloc);
    enum tv_code code =
        tv_adb_fail_here(adb, tv_adb_put_request(&bytes, tv_str_from(request), err));
    if (code == TV_OK)
        code = tv_adb_send(connection, tv_buffer_view(&bytes), err);
    tv_buffer_release(&bytes);
    return code;
}

enum tv_code tv_adb_request(struct tv_adb_connection *connection, const char *request,
                            struct tv_error *err)
{
    TV_TRY(send_request(connection, request, err));
    return tv_adb_take_status(connection, err);
}

/* Servers of all versions answer host:version, so this finds out whether adb listens at the port at
 * all. Two clients that want different versions would end each other's server in turns, so only one
 * that is too old is refused. */
static enum tv_code ask_version(struct tv_adb_connection *connection, uint32_t *version,
                                struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    struct tv_str text;
    enum tv_code code = tv_adb_request(connection, "host:version", err);
    if (code == TV_OK)
        code = tv_adb_take_text(connection, &text, err);
    /* A service that is not adb closes the connection, answers in its own words, or waits for more.
     */
    if (code != TV_OK)
        return adb->trouble == TV_ADB_CANCELLED || adb->trouble == TV_ADB_HERE
                   ? code
                   : fail_no_server(adb, err);
    if (text.len != TV_ADB_WORD_LEN || !tv_adb_read_length((const uint8_t *)text.at, version))
        return fail_no_server(adb, err);
    if (*version < OLDEST_VERSION)
        return tv_adb_fail(adb, TV_ADB_OTHER_VERSION, err,
                           "the adb server at %s:%s has version %u of its protocol, and %u is the "
                           "oldest that will do: update adb, and say `adb kill-server`",
                           adb->host, adb->port, *version, OLDEST_VERSION);
    return TV_OK;
}

enum tv_code tv_adb_server_version(struct tv_adb *adb, uint32_t *version, struct tv_error *err)
{
    struct tv_adb_connection connection;
    TV_TRY(tv_adb_open(&connection, adb, err));
    enum tv_code code = ask_version(&connection, version, err);
    tv_adb_connection_close(&connection);
    return code;
}

/* Switches the connection to the device. The server says in words of its own why a device cannot be
 * used; ours say what to do. */
static enum tv_code request_transport(struct tv_adb_connection *connection,
                                      const struct tv_adb_target *target, struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    char request[TV_ADB_SERIAL_CAP + 32];
    struct tv_error why = {.code = TV_OK};
    (void)snprintf(request, sizeof(request), "host:transport:%s", target->serial);
    enum tv_code code = tv_adb_request(connection, request, &why);
    if (code == TV_OK)
        return TV_OK;
    if (adb->trouble == TV_ADB_UNAUTHORISED || adb->trouble == TV_ADB_NO_PERMISSION ||
        adb->trouble == TV_ADB_OFFLINE || adb->trouble == TV_ADB_NOT_THERE)
        return tv_adb_fail_state(adb, adb->trouble, tv_str_from(target->serial), TV_STR(""), err);
    if (err)
        *err = why;
    return code;
}

enum tv_code tv_adb_open_service(struct tv_adb_connection *connection, struct tv_adb *adb,
                                 const struct tv_adb_target *target, const char *service,
                                 struct tv_error *err)
{
    TV_TRY(tv_adb_open(connection, adb, err));
    enum tv_code code = request_transport(connection, target, err);
    if (code == TV_OK)
        code = tv_adb_request(connection, service, err);
    if (code != TV_OK)
        tv_adb_connection_close(connection);
    return code;
}
