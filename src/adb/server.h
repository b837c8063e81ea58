/* Questions to the adb server: it is found, started where it does not run, and asked. */
#ifndef TV_ADB_SERVER_H
#define TV_ADB_SERVER_H

#include "adb/connection.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"

/* Connects, and starts the server where none runs and it may. The connection is closed on
 * failure. */
enum tv_code tv_adb_open(struct tv_adb_connection *connection, struct tv_adb *adb,
                         struct tv_error *err) TV_MUST_CHECK;
/* Sends a request, and takes the server's OKAY. The reason of a FAIL is the error. */
enum tv_code tv_adb_request(struct tv_adb_connection *connection, const char *request,
                            struct tv_error *err) TV_MUST_CHECK;
/* Takes OKAY, or fails with the reason of a FAIL. */
enum tv_code tv_adb_take_status(struct tv_adb_connection *connection,
                                struct tv_error *err) TV_MUST_CHECK;
/* Takes a text with its length before it; valid until the next call. */
enum tv_code tv_adb_take_text(struct tv_adb_connection *connection, struct tv_str *text,
                              struct tv_error *err) TV_MUST_CHECK;
/* Opens a service of a device: "sync:", "shell:ls". */
enum tv_code tv_adb_open_service(struct tv_adb_connection *connection, struct tv_adb *adb,
                                 const struct tv_adb_target *target, const char *service,
                                 struct tv_error *err) TV_MUST_CHECK;
/* The error of a device that cannot be used, of which the server's word is known. */
enum tv_code tv_adb_fail_state(struct tv_adb *adb, enum tv_adb_trouble trouble,
                               struct tv_str serial, struct tv_str word, struct tv_error *err);

#endif
