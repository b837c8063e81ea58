/*
 * Commands on a device; see adb/adb.h.
 *
 * A shell of version 2 sends packets: output, errors and the exit status apart. A shell of version
 * 1 sends one stream (adb/plain_shell.h). A connection that ends before the exit status has come
 * means that the device is gone; it is never a success.
 */
#include <limits.h>
#include <string.h>

#include "adb/adb.h"
#include "adb/plain_shell.h"
#include "adb/server.h"
#include "adb/wire.h"
#include "base/units.h"
#include "os/clock.h"

#define ASK_MS 20000u
#define ASK_MOST ((size_t)1 << 20)

/* A service as a text with a NUL behind it. */
static enum tv_code put_service(struct tv_buffer *out, const char *kind, const char *command,
                                const char *suffix, struct tv_error *err)
{
    TV_TRY(tv_buffer_append(out, kind, strlen(kind), err));
    TV_TRY(tv_buffer_append(out, command, strlen(command), err));
    return tv_buffer_append(out, suffix, strlen(suffix) + 1, err);
}

/* Once the shell is open only shell->most_ms limits the waiting: a command may be silent for
 * minutes, for as long as an app is recorded. */
static enum tv_code open_shell(struct tv_adb_connection *connection, struct tv_adb *adb,
                               const struct tv_adb_target *target, const struct tv_adb_shell *shell,
                               struct tv_error *err)
{
    struct tv_buffer service;
    tv_adb_connection_init(connection, adb);
    tv_buffer_init(&service, adb->alloc);
    enum tv_code code = tv_adb_fail_here(
        adb, put_service(&service, target->has_shell_v2 ? "shell,v2,raw:" : "shell:",
                         shell->command, target->has_shell_v2 ? "" : TV_ADB_PLAIN_SUFFIX, err));
    if (code == TV_OK)
        code = tv_adb_open_service(connection, adb, target, (const char *)service.bytes, err);
    tv_buffer_release(&service);
    connection->is_patient = true;
    connection->end_ns = shell->most_ms ? tv_now_ns() + shell->most_ms * TV_NS_PER_MS : 0;
    return code;
}

/* Passes on the data of a packet as it comes; packets may be longer than the room. */
static enum tv_code take_packet(struct tv_adb_connection *connection,
                                const struct tv_adb_shell *shell, struct tv_adb_packet packet,
                                struct tv_error *err)
{
    const struct tv_sink none = {.write = NULL};
    const struct tv_sink *sink = packet.kind == TV_ADB_PACKET_OUT   ? &shell->out
                                 : packet.kind == TV_ADB_PACKET_ERR ? &shell->err_out
                                                                    : &none;
    while (packet.len) {
        struct tv_str bytes;
        TV_TRY(tv_adb_take_some(connection, packet.len, &bytes, err));
        if (!bytes.len)
            return tv_adb_fail(connection->adb, TV_ADB_GONE, err,
                               "the connection to the device ended in the middle of a command: is "
                               "its cable in?");
        packet.len -= (uint32_t)bytes.len;
        if (sink->write)
            TV_TRY(tv_adb_fail_here(connection->adb,
                                    sink->write(sink->ctx, bytes.at, bytes.len, err)));
    }
    return TV_OK;
}

/* Reads packets until the one with the exit status, which is always the last. */
static enum tv_code run_v2(struct tv_adb_connection *connection, struct tv_adb_shell *shell,
                           struct tv_error *err)
{
    for (;;) {
        const uint8_t *bytes;
        TV_TRY(tv_adb_take(connection, TV_ADB_PACKET_HEAD, &bytes, err));
        const struct tv_adb_packet packet = tv_adb_read_packet(bytes);
        if (packet.kind == TV_ADB_PACKET_EXIT && packet.len == 1) {
            TV_TRY(tv_adb_take(connection, 1, &bytes, err));
            shell->status = bytes[0];
            return TV_OK;
        }
        /* Kinds 0, 4 and 5 go to the device only. */
        if (packet.kind != TV_ADB_PACKET_OUT && packet.kind != TV_ADB_PACKET_ERR)
            return tv_adb_fail(connection->adb, TV_ADB_GARBAGE, err,
                               "the device sent a packet of kind %u in the output of a command",
                               packet.kind);
        TV_TRY(take_packet(connection, shell, packet, err));
    }
}

/* Reads until the connection ends; the status is the last line of the output (adb/plain_shell.h).
 */
static enum tv_code run_v1(struct tv_adb_connection *connection, struct tv_adb_shell *shell,
                           struct tv_error *err)
{
    struct tv_adb_plain plain = {.sink = shell->out};
    struct tv_adb *adb = connection->adb;
    struct tv_str bytes;
    do {
        TV_TRY(tv_adb_take_some(connection, SIZE_MAX, &bytes, err));
        TV_TRY(tv_adb_fail_here(adb, tv_adb_plain_push(&plain, bytes, err)));
    } while (bytes.len);
    TV_TRY(tv_adb_fail_here(adb, tv_adb_plain_end(&plain, &shell->status, err)));
    if (shell->status < 0)
        return tv_adb_fail(adb, TV_ADB_GONE, err,
                           "the connection to the device ended in the middle of a command: is its "
                           "cable in?");
    return TV_OK;
}

/* A status other than 0 is the command's own answer, and no failure here: the caller knows what it
 * means. */
enum tv_code tv_adb_run(struct tv_adb *adb, const struct tv_adb_target *target,
                        struct tv_adb_shell *shell, struct tv_error *err)
{
    struct tv_adb_connection connection;
    shell->status = -1;
    TV_TRY(open_shell(&connection, adb, target, shell, err));
    enum tv_code code =
        target->has_shell_v2 ? run_v2(&connection, shell, err) : run_v1(&connection, shell, err);
    tv_adb_connection_close(&connection);
    if (code != TV_OK && adb->trouble == TV_ADB_SILENT)
        return tv_adb_fail(adb, TV_ADB_SILENT, err,
                           "`%.60s` on the device took longer than %.1f seconds", shell->command,
                           (double)shell->most_ms / 1e3);
    return code;
}

/* Takes up to ASK_MOST bytes and drops the rest, so that an endless answer costs no memory. */
static enum tv_code append_some(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_buffer *out = ctx;
    const size_t left = out->len < ASK_MOST ? ASK_MOST - out->len : 0;
    return tv_buffer_append(out, bytes, len < left ? len : left, err);
}

enum tv_code tv_adb_ask(struct tv_adb *adb, const struct tv_adb_target *target, const char *command,
                        struct tv_buffer *out, int *status, struct tv_error *err)
{
    const struct tv_sink sink = {append_some, out};
    struct tv_adb_shell shell = {
        .command = command, .out = sink, .err_out = sink, .most_ms = ASK_MS};
    enum tv_code code = tv_adb_run(adb, target, &shell, err);
    *status = shell.status;
    return code;
}

/* The API level decides which options `am` gets, and with a wrong option `am` prints its help; so
 * the device itself is asked. */
enum tv_code tv_adb_sdk(struct tv_adb *adb, const struct tv_adb_target *target, unsigned *sdk,
                        struct tv_error *err)
{
    struct tv_buffer text;
    struct tv_str line = {NULL, 0};
    uint64_t level = 0;
    int status;
    tv_buffer_init(&text, adb->alloc);
    enum tv_code code =
        tv_adb_ask(adb, target, "getprop ro.build.version.sdk", &text, &status, err);
    struct tv_str rest = tv_buffer_view(&text);
    if (code == TV_OK && (!tv_str_split(&rest, '\n', &line) || !tv_str_to_u64(line, 10, &level) ||
                          level == 0 || level > UINT16_MAX))
        code = tv_adb_fail(adb, TV_ADB_GARBAGE, err,
                           "the device says \"%.*s\" where its API level belongs",
                           tv_str_shown_len(line), line.at ? line.at : "");
    *sdk = (unsigned)level;
    tv_buffer_release(&text);
    return code;
}

static bool is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte && strchr("/._-:,+@%=", byte));
}

/* Quotes a word for the device's shell: inside single quotes nothing has a meaning except the quote
 * itself. */
enum tv_code tv_adb_quote(struct tv_buffer *command, struct tv_str word, struct tv_error *err)
{
    bool is_word = word.len > 0;
    for (size_t i = 0; i < word.len; i++)
        is_word = is_word && is_plain(word.at[i]);
    if (is_word)
        return tv_buffer_append(command, word.at, word.len, err);
    TV_TRY(tv_buffer_append(command, "'", 1, err));
    for (size_t i = 0; i < word.len; i++) {
        if (word.at[i] == '\'')
            TV_TRY(tv_buffer_append(command, "'\\''", 4, err));
        else
            TV_TRY(tv_buffer_append(command, &word.at[i], 1, err));
    }
    return tv_buffer_append(command, "'", 1, err);
}
