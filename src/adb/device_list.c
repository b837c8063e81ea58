/*
 * The server's list of devices; see adb/device_list.h.
 *
 * A line is a serial number, a state, and with -l words such as "model:Pixel_8". The state of a USB
 * device that the user may not open is a whole sentence, so it is known by its beginning. Texts
 * point into a copy of the list that the struct owns.
 */
#include "adb/device_list.h"

#include <string.h>

/* What stands in place of a serial number where the device has none. */
#define NO_SERIAL "(no serial number)"

void tv_adb_devices_init(struct tv_adb_devices *devices, const struct tv_alloc *alloc)
{
    *devices = (struct tv_adb_devices){.of = NULL};
    tv_buffer_init(&devices->text, alloc);
}

void tv_adb_devices_release(struct tv_adb_devices *devices)
{
    tv_alloc_release(devices->text.alloc, &devices->of, devices->cap, sizeof(*devices->of));
    devices->count = devices->cap = 0;
    tv_buffer_release(&devices->text);
}

static struct tv_str take_serial(struct tv_str *line)
{
    *line = tv_str_trim(*line);
    if (!tv_str_starts_with(*line, TV_STR(NO_SERIAL)))
        return tv_str_take_word(line);
    struct tv_str serial = {line->at, sizeof(NO_SERIAL) - 1};
    line->at += serial.len;
    line->len -= serial.len;
    return serial;
}

/* "authorizing" is the moment in which the phone asks its user, so it is told as a device that is
 * not authorised yet. A sentence about permissions is known by its beginning, because its end has a
 * path in it. */
static enum tv_adb_state state_of(struct tv_str word, struct tv_str line)
{
    static const struct {
        const char *word;
        enum tv_adb_state state;
    } known[] = {
        {"device", TV_ADB_STATE_DEVICE},
        {"unauthorized", TV_ADB_STATE_UNAUTHORISED},
        {"authorizing", TV_ADB_STATE_UNAUTHORISED},
        {"offline", TV_ADB_STATE_OFFLINE},
        {"connecting", TV_ADB_STATE_OFFLINE},
    };
    if (tv_str_starts_with(line, TV_STR("no permissions")))
        return TV_ADB_STATE_NO_PERMISSION;
    for (size_t i = 0; i < TV_COUNT_OF(known); i++) {
        if (tv_str_equal(word, tv_str_from(known[i].word)))
            return known[i].state;
    }
    return TV_ADB_STATE_OTHER;
}

/* The state in the words of this program. One that is unknown here is shown as the server spells
 * it, since it may still say something to whoever reads it. */
struct tv_str tv_adb_state_word(const struct tv_adb_device *device)
{
    switch (device->state) {
    case TV_ADB_STATE_DEVICE:
        return TV_STR("ready");
    case TV_ADB_STATE_UNAUTHORISED:
        return TV_STR("unauthorised");
    case TV_ADB_STATE_NO_PERMISSION:
        return TV_STR("no permission");
    case TV_ADB_STATE_OFFLINE:
        return TV_STR("offline");
    case TV_ADB_STATE_OTHER:
        break;
    }
    return device->state_word;
}

/* The value of "key:value"; false: the word has another key. */
static bool take_value(struct tv_str word, struct tv_str key, struct tv_str *value)
{
    if (!tv_str_starts_with(word, key))
        return false;
    *value = (struct tv_str){word.at + key.len, word.len - key.len};
    return true;
}

/* Reads one line. False: it names no device. */
static bool read_line(struct tv_str line, struct tv_adb_device *device)
{
    struct tv_str word;
    *device = (struct tv_adb_device){.serial = take_serial(&line)};
    line = tv_str_trim(line);
    const struct tv_str after_serial = line;
    device->state_word = tv_str_take_word(&line);
    device->state = state_of(device->state_word, after_serial);
    while ((word = tv_str_take_word(&line)).len) {
        if (!take_value(word, TV_STR("product:"), &device->product) &&
            !take_value(word, TV_STR("model:"), &device->model))
            (void)take_value(word, TV_STR("device:"), &device->name);
    }
    return device->state_word.len != 0;
}

/* The text is copied first, so that the texts of the devices can point into it for as long as the
 * list lives. */
enum tv_code tv_adb_read_devices(struct tv_str text, struct tv_adb_devices *devices,
                                 struct tv_error *err)
{
    struct tv_str line;
    devices->count = 0;
    devices->text.len = 0;
    TV_TRY(tv_buffer_append(&devices->text, text.at, text.len, err));
    struct tv_str rest = tv_buffer_view(&devices->text);
    while (tv_str_split(&rest, '\n', &line)) {
        struct tv_adb_device device;
        if (!read_line(line, &device))
            continue;
        TV_TRY(tv_alloc_grow(devices->text.alloc, &devices->of, &devices->cap, devices->count + 1,
                             sizeof(*devices->of), err));
        devices->of[devices->count++] = device;
    }
    return TV_OK;
}
