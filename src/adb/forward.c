/* Ports that the server passes on to a device. */
#include <stdio.h>
#include <string.h>

#include "adb/adb.h"
#include "adb/server.h"

#define REQUEST_CAP 512u
#define MOST_PORT 65535u

/* Asks, and takes the second OKAY, which says that it was done. */
static enum tv_code ask(struct tv_adb_connection *connection, const char *request,
                        struct tv_error *err)
{
    TV_TRY(tv_adb_request(connection, request, err));
    return tv_adb_take_status(connection, err);
}

/* The port that the server has chosen, which it tells where it could choose. */
static enum tv_code take_port(struct tv_adb_connection *connection, unsigned *port,
                              struct tv_error *err)
{
    struct tv_str text;
    uint64_t value;
    TV_TRY(tv_adb_take_text(connection, &text, err));
    if (!tv_str_to_u64(text, 10, &value) || value == 0 || value > MOST_PORT)
        return tv_adb_fail(connection->adb, TV_ADB_GARBAGE, err,
                           "the adb server names \"%.*s\" where a port belongs",
                           tv_str_shown_len(text), text.at);
    *port = (unsigned)value;
    return TV_OK;
}

enum tv_code tv_adb_forward(struct tv_adb *adb, const struct tv_adb_target *target,
                            const char *local, const char *remote, unsigned *port,
                            struct tv_error *err)
{
    struct tv_adb_connection connection;
    char request[REQUEST_CAP];
    uint64_t value = 0;
    const bool is_tcp = strncmp(local, "tcp:", 4) == 0;
    const bool is_chosen = is_tcp && strcmp(local, "tcp:0") == 0;
    *port = is_tcp && tv_str_to_u64(tv_str_from(local + 4), 10, &value) ? (unsigned)value : 0;
    (void)snprintf(request, sizeof(request), "host-serial:%s:forward:%s;%s", target->serial, local,
                   remote);
    TV_TRY(tv_adb_open(&connection, adb, err));
    enum tv_code code = ask(&connection, request, err);
    if (code == TV_OK && is_chosen)
        code = take_port(&connection, port, err);
    tv_adb_connection_close(&connection);
    return code;
}

enum tv_code tv_adb_forward_end(struct tv_adb *adb, const struct tv_adb_target *target,
                                const char *local, struct tv_error *err)
{
    struct tv_adb_connection connection;
    char request[REQUEST_CAP];
    (void)snprintf(request, sizeof(request), "host-serial:%s:killforward:%s", target->serial,
                   local);
    TV_TRY(tv_adb_open(&connection, adb, err));
    enum tv_code code = ask(&connection, request, err);
    tv_adb_connection_close(&connection);
    return code;
}
