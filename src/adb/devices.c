/*
 * Which devices there are, and which one is meant; see adb/adb.h.
 *
 * Without a serial number, from the option or from ANDROID_SERIAL, the only device that can be used
 * is meant. A device that cannot be used is refused with what to do about it.
 *
 * tv_adb_choose() is the first thing that every command with a device does: what it finds out about
 * the device (its features) decides between old and new services everywhere else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adb/adb.h"
#include "adb/device_list.h"
#include "adb/server.h"
#include "adb/wire.h"

/* Opens a connection for a list of the server, after its version was checked. */
static enum tv_code open_list(struct tv_adb_connection *connection, struct tv_adb *adb,
                              const char *request, struct tv_error *err)
{
    uint32_t version;
    TV_TRY(tv_adb_server_version(adb, &version, err));
    TV_TRY(tv_adb_open(connection, adb, err));
    enum tv_code code = tv_adb_request(connection, request, err);
    if (code != TV_OK)
        tv_adb_connection_close(connection);
    return code;
}

static enum tv_code take_devices(struct tv_adb_connection *connection,
                                 struct tv_adb_devices *devices, struct tv_error *err)
{
    struct tv_str text;
    TV_TRY(tv_adb_take_text(connection, &text, err));
    return tv_adb_fail_here(connection->adb, tv_adb_read_devices(text, devices, err));
}

enum tv_code tv_adb_list_devices(struct tv_adb *adb, struct tv_adb_devices *devices,
                                 struct tv_error *err)
{
    struct tv_adb_connection connection;
    TV_TRY(open_list(&connection, adb, "host:devices-l", err));
    enum tv_code code = take_devices(&connection, devices, err);
    tv_adb_connection_close(&connection);
    return code;
}

/* Servers before 2019 only have the shorter list, without models. */
static enum tv_code open_tracker(struct tv_adb_connection *connection, struct tv_adb *adb,
                                 struct tv_error *err)
{
    struct tv_error why = {.code = TV_OK};
    enum tv_code code = open_list(connection, adb, "host:track-devices-l", &why);
    if (code != TV_OK && adb->trouble == TV_ADB_REFUSED)
        return open_list(connection, adb, "host:track-devices", err);
    if (code != TV_OK && err)
        *err = why;
    return code;
}

/* The server sends the whole list at each change. Between two changes hours may pass, so the
 * connection is patient; `each` ends the tracking by returning false. */
enum tv_code tv_adb_track_devices(struct tv_adb *adb,
                                  bool (*each)(void *ctx, const struct tv_adb_devices *devices),
                                  void *ctx, struct tv_error *err)
{
    struct tv_adb_connection connection;
    struct tv_adb_devices devices;
    bool goes_on = true;
    TV_TRY(open_tracker(&connection, adb, err));
    tv_adb_devices_init(&devices, adb->alloc);
    connection.is_patient = true;
    enum tv_code code = TV_OK;
    while (code == TV_OK && goes_on) {
        code = take_devices(&connection, &devices, err);
        if (code == TV_OK)
            goes_on = each(ctx, &devices);
    }
    tv_adb_devices_release(&devices);
    tv_adb_connection_close(&connection);
    return code;
}

/* What stands in the way of using a device in this state. */
static enum tv_adb_trouble trouble_of_state(enum tv_adb_state state)
{
    switch (state) {
    case TV_ADB_STATE_DEVICE:
        return TV_ADB_NONE;
    case TV_ADB_STATE_UNAUTHORISED:
        return TV_ADB_UNAUTHORISED;
    case TV_ADB_STATE_NO_PERMISSION:
        return TV_ADB_NO_PERMISSION;
    case TV_ADB_STATE_OFFLINE:
        return TV_ADB_OFFLINE;
    case TV_ADB_STATE_OTHER:
        break;
    }
    return TV_ADB_UNUSABLE;
}

enum tv_code tv_adb_check_device(const struct tv_adb_device *device, struct tv_error *err)
{
    struct tv_adb nobody = {.cancel_fd = -1};
    enum tv_adb_trouble trouble = trouble_of_state(device->state);
    return trouble == TV_ADB_NONE
               ? TV_OK
               : tv_adb_fail_state(&nobody, trouble, device->serial, device->state_word, err);
}

static const struct tv_adb_device *named(const struct tv_adb_devices *devices, const char *serial)
{
    for (size_t i = 0; i < devices->count; i++) {
        if (tv_str_equal(devices->of[i].serial, tv_str_from(serial)))
            return &devices->of[i];
    }
    return NULL;
}

/* The only device, or of several the only one that can be used. */
static const struct tv_adb_device *only_one(const struct tv_adb_devices *devices)
{
    const struct tv_adb_device *found = devices->count == 1 ? &devices->of[0] : NULL;
    size_t ready = 0;
    for (size_t i = 0; i < devices->count; i++) {
        if (devices->of[i].state == TV_ADB_STATE_DEVICE) {
            found = &devices->of[i];
            ready++;
        }
    }
    return ready > 1 ? NULL : found;
}

/* Names as many devices as the line has room for, each cut to 40 bytes: a serial number that is
 * longer than that was made up by somebody. */
static enum tv_code fail_several(struct tv_adb *adb, const struct tv_adb_devices *devices,
                                 struct tv_error *err)
{
    char names[140] = "";
    size_t len = 0;
    for (size_t i = 0; i < devices->count && len + 48 < sizeof(names); i++)
        len +=
            (size_t)snprintf(names + len, sizeof(names) - len, "%s%.*s", i ? ", " : "",
                             (int)(devices->of[i].serial.len < 40 ? devices->of[i].serial.len : 40),
                             devices->of[i].serial.at);
    return tv_adb_fail(adb, TV_ADB_SEVERAL, err,
                       "%zu devices are connected: say which one by -s SERIAL or ANDROID_SERIAL "
                       "(%s)",
                       devices->count, names);
}

/* Finds the device that is meant, and checks that it can be used. */
static enum tv_code pick(struct tv_adb *adb, const struct tv_adb_devices *devices,
                         const char *serial, const struct tv_adb_device **picked,
                         struct tv_error *err)
{
    const struct tv_str meant = tv_str_from(serial ? serial : "");
    if (!serial && devices->count == 0)
        return tv_adb_fail_state(adb, TV_ADB_NO_DEVICE, meant, meant, err);
    *picked = serial ? named(devices, serial) : only_one(devices);
    if (!*picked && serial)
        return tv_adb_fail_state(adb, TV_ADB_NOT_THERE, meant, meant, err);
    if (!*picked)
        return fail_several(adb, devices, err);
    enum tv_adb_trouble trouble = trouble_of_state((*picked)->state);
    if (trouble != TV_ADB_NONE)
        return tv_adb_fail_state(adb, trouble, (*picked)->serial, (*picked)->state_word, err);
    if ((*picked)->serial.len >= TV_ADB_SERIAL_CAP)
        return tv_adb_fail(adb, TV_ADB_GARBAGE, err,
                           "the server lists a serial number of %zu bytes", (*picked)->serial.len);
    return TV_OK;
}

/* Copies the names; the server writes underlines for the blanks in a model. */
static void name_target(const struct tv_adb_device *device, struct tv_adb_target *target)
{
    const struct tv_str model = device->model.len ? device->model : device->serial;
    *target = (struct tv_adb_target){.serial = ""};
    memcpy(target->serial, device->serial.at, device->serial.len);
    size_t len = model.len < TV_ADB_MODEL_CAP ? model.len : TV_ADB_MODEL_CAP - 1;
    memcpy(target->model, model.at, len);
    for (size_t i = 0; device->model.len && i < len; i++) {
        if (target->model[i] == '_')
            target->model[i] = ' ';
    }
}

/* The features decide between the old and the new form of each service, everywhere else. */
static enum tv_code ask_features(struct tv_adb *adb, struct tv_adb_target *target,
                                 struct tv_error *err)
{
    struct tv_adb_connection connection;
    char request[TV_ADB_SERIAL_CAP + 32];
    struct tv_str text;
    (void)snprintf(request, sizeof(request), "host-serial:%s:features", target->serial);
    TV_TRY(tv_adb_open(&connection, adb, err));
    enum tv_code code = tv_adb_request(&connection, request, err);
    if (code == TV_OK)
        code = tv_adb_take_text(&connection, &text, err);
    if (code == TV_OK)
        tv_adb_read_features(text, target);
    tv_adb_connection_close(&connection);
    return code;
}

/* The option comes before ANDROID_SERIAL, as with adb itself. */
enum tv_code tv_adb_choose(struct tv_adb *adb, const char *serial, struct tv_adb_target *target,
                           struct tv_error *err)
{
    const struct tv_adb_device *picked = NULL;
    struct tv_adb_devices devices;
    const char *usual = getenv("ANDROID_SERIAL");
    if (!serial && usual && *usual)
        serial = usual;
    tv_adb_devices_init(&devices, adb->alloc);
    enum tv_code code = tv_adb_list_devices(adb, &devices, err);
    if (code == TV_OK)
        code = pick(adb, &devices, serial, &picked, err);
    if (code == TV_OK) {
        name_target(picked, target);
        code = ask_features(adb, target, err);
    }
    tv_adb_devices_release(&devices);
    return code;
}
