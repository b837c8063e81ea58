/*
 * The processes of a device that can be recorded; see adb/adb.h. The device's service lists them,
 * and `ps` says their names and users (process_list.c).
 *
 * Devices before Android 12 list the numbers of debuggable apps alone; newer ones list apps that
 * may be profiled, too.
 */
#include <string.h>

#include "adb/adb.h"
#include "adb/process_list.h"
#include "adb/server.h"

#define SDK_ANDROID_8 26u /* the first with toybox's ps, which has columns to choose */

/* Garbage in a list is the device's fault and is told so; a lack of memory is this machine's. */
static enum tv_code take_list(struct tv_adb_connection *connection, bool is_message,
                              struct tv_adb_processes *processes, struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    struct tv_str text;
    TV_TRY(tv_adb_take_text(connection, &text, err));
    enum tv_code code = is_message ? tv_adb_read_apps(text, processes, err)
                                   : tv_adb_read_jdwp(text, processes, err);
    if (code != TV_OK)
        adb->trouble = code == TV_ERR_FORMAT ? TV_ADB_GARBAGE : TV_ADB_HERE;
    return code;
}

/* Both services send a list at once and another one whenever it changes; the first one is enough.
 */
static enum tv_code take_first(struct tv_adb *adb, const struct tv_adb_target *target,
                               struct tv_adb_processes *processes, struct tv_error *err)
{
    struct tv_adb_connection connection;
    TV_TRY(tv_adb_open_service(&connection, adb, target,
                               target->has_apps ? "track-app" : "track-jdwp", err));
    enum tv_code code = take_list(&connection, target->has_apps, processes, err);
    tv_adb_connection_close(&connection);
    return code;
}

/* Before Android 8 `ps` knows no options and shows all processes by itself. */
static enum tv_code ask_ps(struct tv_adb *adb, const struct tv_adb_target *target,
                           struct tv_adb_processes *processes, struct tv_error *err)
{
    struct tv_buffer text;
    int status;
    tv_buffer_init(&text, adb->alloc);
    enum tv_code code = tv_adb_ask(
        adb, target, processes->sdk >= SDK_ANDROID_8 ? "ps -A -o PID,USER,ETIME,NAME" : "ps", &text,
        &status, err);
    if (code == TV_OK)
        code = tv_adb_fail_here(adb, tv_adb_read_ps(tv_buffer_view(&text), processes, err));
    tv_buffer_release(&text);
    return code;
}

enum tv_code tv_adb_list_processes(struct tv_adb *adb, const struct tv_adb_target *target,
                                   struct tv_adb_processes *processes, struct tv_error *err)
{
    TV_TRY(take_first(adb, target, processes, err));
    TV_TRY(tv_adb_sdk(adb, target, &processes->sdk, err));
    if (processes->count)
        TV_TRY(ask_ps(adb, target, processes, err));
    return tv_adb_fail_here(adb, tv_adb_finish_processes(processes, err));
}
