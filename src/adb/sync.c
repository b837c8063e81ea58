/*
 * Files of a device, by its sync service (SYNC.TXT of adb); see adb/adb.h.
 *
 * Requests and answers are a word of four letters and a number; version 2 of each has lengths of 64
 * bits. The device may send anything: an unknown word, or a length beyond what devices send, is
 * told as garbage before room is made for it.
 *
 * Every name and every length is the device's word; callers decide what a name may become.
 */
#include <limits.h>
#include <string.h>

#include "adb/adb.h"
#include "adb/server.h"
#include "adb/wire.h"

#define ENOENT_OF_LINUX 2u

static enum tv_code open_sync(struct tv_adb_connection *connection, struct tv_adb *adb,
                              const struct tv_adb_target *target, struct tv_error *err)
{
    return tv_adb_open_service(connection, adb, target, "sync:", err);
}

/* Sends a word with the path, and a second word with a number if there is one. */
static enum tv_code ask(struct tv_adb_connection *connection, const char *word, const char *path,
                        const char *second_word, struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    struct tv_buffer request;
    tv_buffer_init(&request, adb->alloc);
    enum tv_code code =
        tv_adb_fail_here(adb, tv_adb_put_sync(&request, word, tv_str_from(path), err));
    if (code == TV_OK && second_word)
        code = tv_adb_fail_here(adb, tv_adb_put_sync_number(&request, second_word, 0, err));
    if (code == TV_OK)
        code = tv_adb_send(connection, tv_buffer_view(&request), err);
    tv_buffer_release(&request);
    return code;
}

static enum tv_code fail_word(struct tv_adb *adb, const uint8_t *word, const char *wanted,
                              struct tv_error *err)
{
    return tv_adb_fail(adb, TV_ADB_GARBAGE, err,
                       "the device answers \"%.4s\" where %s belongs: its sync service is none "
                       "that is known",
                       (const char *)word, wanted);
}

/* ENOENT is an answer (there is no such file, and the mode is 0); any other error is a refusal. */
static enum tv_code take_stat(struct tv_adb_connection *connection, bool is_v2, const char *path,
                              struct tv_adb_stat *stat, struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    const uint8_t *bytes;
    uint32_t error = 0;
    const char *word = is_v2 ? "STA2" : "STAT";
    TV_TRY(tv_adb_take(connection, is_v2 ? TV_ADB_STAT_V2_LEN : TV_ADB_STAT_LEN, &bytes, err));
    if (!tv_adb_is_word(bytes, word))
        return fail_word(adb, bytes, word, err);
    *stat = is_v2 ? tv_adb_read_stat_v2(bytes, &error) : tv_adb_read_stat(bytes);
    if (error && error != ENOENT_OF_LINUX)
        return tv_adb_fail(adb, TV_ADB_REFUSED, err, "%s on the device: %s", path,
                           strerror((int)(error & INT_MAX)));
    return TV_OK;
}

static enum tv_code look(struct tv_adb_connection *connection, const struct tv_adb_target *target,
                         const char *path, struct tv_adb_stat *stat, struct tv_error *err)
{
    const bool is_v2 = target->has_stat_v2;
    TV_TRY(ask(connection, is_v2 ? "STA2" : "STAT", path, NULL, err));
    return take_stat(connection, is_v2, path, stat, err);
}

enum tv_code tv_adb_stat(struct tv_adb *adb, const struct tv_adb_target *target, const char *path,
                         struct tv_adb_stat *stat, struct tv_error *err)
{
    struct tv_adb_connection connection;
    TV_TRY(open_sync(&connection, adb, target, err));
    enum tv_code code = look(&connection, target, path, stat, err);
    tv_adb_connection_close(&connection);
    return code;
}

struct listing {
    bool is_v2;
    void (*each)(void *ctx, struct tv_str name, const struct tv_adb_stat *stat);
    void *ctx;
};

/* The folder itself and the one above it are of no use to callers. */
static enum tv_code take_entry(struct tv_adb_connection *connection, const struct listing *listing,
                               bool *is_done, struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    const uint8_t *bytes;
    uint32_t name_len;
    const char *word = listing->is_v2 ? "DNT2" : "DENT";
    TV_TRY(tv_adb_take(connection, listing->is_v2 ? TV_ADB_ENTRY_V2_LEN : TV_ADB_ENTRY_LEN, &bytes,
                       err));
    *is_done = tv_adb_is_word(bytes, "DONE");
    if (*is_done)
        return TV_OK;
    if (!tv_adb_is_word(bytes, word))
        return fail_word(adb, bytes, word, err);
    const struct tv_adb_stat stat = listing->is_v2 ? tv_adb_read_entry_v2(bytes, &name_len)
                                                   : tv_adb_read_entry(bytes, &name_len);
    if (name_len > TV_ADB_SYNC_NAME_MOST)
        return tv_adb_fail(adb, TV_ADB_GARBAGE, err, "the device lists a name of %u bytes",
                           name_len);
    TV_TRY(tv_adb_take(connection, name_len, &bytes, err));
    const struct tv_str name = {(const char *)bytes, name_len};
    if (!tv_str_equal(name, TV_STR(".")) && !tv_str_equal(name, TV_STR("..")))
        listing->each(listing->ctx, name, &stat);
    return TV_OK;
}

/* Entries are handed out one by one as they come, so a folder of any size takes no memory here. */
enum tv_code tv_adb_list(struct tv_adb *adb, const struct tv_adb_target *target, const char *path,
                         void (*each)(void *ctx, struct tv_str name,
                                      const struct tv_adb_stat *stat),
                         void *ctx, struct tv_error *err)
{
    struct tv_adb_connection connection;
    const struct listing listing = {target->has_list_v2, each, ctx};
    bool is_done = false;
    TV_TRY(open_sync(&connection, adb, target, err));
    enum tv_code code = ask(&connection, listing.is_v2 ? "LIS2" : "LIST", path, NULL, err);
    while (code == TV_OK && !is_done)
        code = take_entry(&connection, &listing, &is_done, err);
    tv_adb_connection_close(&connection);
    return code;
}

/* The device gives the length of its reason, which is believed within limits. */
static enum tv_code fail_refused(struct tv_adb_connection *connection, const char *path,
                                 uint32_t len, struct tv_error *err)
{
    const uint8_t *reason;
    if (len > TV_ADB_SYNC_DATA_MOST)
        return tv_adb_fail(connection->adb, TV_ADB_GARBAGE, err,
                           "the device gives a reason of %u bytes", len);
    TV_TRY(tv_adb_take(connection, len, &reason, err));
    return tv_adb_fail(connection->adb, TV_ADB_REFUSED, err, "%s on the device: %.*s", path,
                       tv_str_shown_len((struct tv_str){(const char *)reason, len}),
                       (const char *)reason);
}

/* Passes on what is wanted of one DATA: bytes before pull->from are known already. */
static enum tv_code take_data(struct tv_adb_connection *connection, struct tv_adb_pull *pull,
                              uint32_t len, struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    const uint8_t *bytes;
    TV_TRY(tv_adb_take(connection, len, &bytes, err));
    uint64_t left_out = pull->done < pull->from ? pull->from - pull->done : 0;
    left_out = left_out < len ? left_out : len;
    if (left_out < len)
        TV_TRY(tv_adb_fail_here(
            adb, pull->sink.write(pull->sink.ctx, bytes + left_out, len - left_out, err)));
    pull->done += len;
    if (pull->tell && pull->done > pull->from && !pull->tell(pull->ctx, pull->done))
        return tv_adb_fail(adb, TV_ADB_CANCELLED, err, "cancelled");
    return TV_OK;
}

/* DATA until DONE. The file may have been cut since its length was asked for; then fewer bytes come
 * than are there already, and going on would join two different files. */
static enum tv_code take_file(struct tv_adb_connection *connection, struct tv_adb_pull *pull,
                              struct tv_error *err)
{
    for (;;) {
        const uint8_t *head;
        TV_TRY(tv_adb_take(connection, TV_ADB_SYNC_HEAD, &head, err));
        const uint32_t len = tv_adb_read_sync_number(head);
        if (tv_adb_is_word(head, "DONE") && pull->done < pull->from)
            return tv_adb_fail(connection->adb, TV_ADB_REFUSED, err,
                               "%s on the device has become shorter than what was pulled of it",
                               pull->path);
        if (tv_adb_is_word(head, "DONE"))
            return TV_OK;
        if (tv_adb_is_word(head, "FAIL"))
            return fail_refused(connection, pull->path, len, err);
        if (!tv_adb_is_word(head, "DATA"))
            return fail_word(connection->adb, head, "DATA", err);
        if (len > TV_ADB_SYNC_DATA_MOST)
            return tv_adb_fail(connection->adb, TV_ADB_GARBAGE, err,
                               "the device sends %u bytes at once; %u is the most", len,
                               TV_ADB_SYNC_DATA_MOST);
        TV_TRY(take_data(connection, pull, len, err));
    }
}

/* Looks at the file again on the same connection, to tell whether it has grown meanwhile. */
enum tv_code tv_adb_receive(struct tv_adb *adb, const struct tv_adb_target *target,
                            struct tv_adb_pull *pull, struct tv_error *err)
{
    struct tv_adb_connection connection;
    const bool is_v2 = target->has_receive_v2;
    pull->done = 0;
    TV_TRY(open_sync(&connection, adb, target, err));
    enum tv_code code =
        ask(&connection, is_v2 ? "RCV2" : "RECV", pull->path, is_v2 ? "RCV2" : NULL, err);
    if (code == TV_OK)
        code = take_file(&connection, pull, err);
    if (code == TV_OK)
        code = look(&connection, target, pull->path, &pull->after, err);
    if (pull->done < pull->from)
        pull->done = pull->from;
    tv_adb_connection_close(&connection);
    return code;
}
