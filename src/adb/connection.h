/*
 * A connection to the adb server: bytes out, bytes in, with a limit of time and a way to give up.
 *
 * What arrives lies in one block, and callers get views of it, so that the bytes of a file that is
 * pulled are copied once by the kernel and never by us.
 */
#ifndef TV_ADB_CONNECTION_H
#define TV_ADB_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adb/adb.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

/* More than a DATA of the sync service and its head. */
#define TV_ADB_ROOM_LEN ((size_t)256 << 10)

struct tv_adb_connection {
    struct tv_adb *adb;
    int fd; /* -1: closed */
    uint8_t *room;
    size_t begin, end; /* the bytes that arrived and were not taken */
    uint64_t end_ns;   /* when all must be done; 0: no limit */
    uint64_t begun_ns; /* when it was opened */
    uint64_t received; /* bytes since then */
    unsigned reads;    /* since the last wait */
    bool is_patient;   /* waits for as long as nothing comes, up to end_ns */
};

/* Sets `trouble`, fills err, and returns the code that belongs to the trouble. */
enum tv_code tv_adb_fail(struct tv_adb *adb, enum tv_adb_trouble trouble, struct tv_error *err,
                         const char *format, ...) TV_PRINTF(4, 5);
/* Notes which trouble it is that something on this computer failed. */
enum tv_code tv_adb_fail_here(struct tv_adb *adb, enum tv_code code);

void tv_adb_connection_init(struct tv_adb_connection *connection, struct tv_adb *adb);
void tv_adb_connection_close(struct tv_adb_connection *connection);
/* Connects to the server's address. *is_refused: nobody listens there. */
enum tv_code tv_adb_connection_open(struct tv_adb_connection *connection, bool *is_refused,
                                    struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_adb_send(struct tv_adb_connection *connection, struct tv_str bytes,
                         struct tv_error *err) TV_MUST_CHECK;
/* Takes exactly `len` bytes, at most TV_ADB_ROOM_LEN; valid until the next call. TV_ADB_GONE where
 * the connection ends before. */
enum tv_code tv_adb_take(struct tv_adb_connection *connection, size_t len, const uint8_t **bytes,
                         struct tv_error *err) TV_MUST_CHECK;
/* Takes what is there, at least 1 byte and at most `most`; none where the connection has ended. */
enum tv_code tv_adb_take_some(struct tv_adb_connection *connection, size_t most,
                              struct tv_str *bytes, struct tv_error *err) TV_MUST_CHECK;

#endif
