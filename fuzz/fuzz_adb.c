/*
 * What an adb server and a device say, of any bytes. The first byte chooses what the rest is: the
 * server's list of devices, a device's list of processes by `track-app` or `track-jdwp` with the
 * table of `ps` behind a NUL, the stream of a shell of version 1, or words of the sync service.
 *
 * Views lie within the input, lists are no longer than it, and the output of a shell is what came,
 * with fewer returns and without its last line, in pieces of any length.
 */
#include <string.h>

#include "adb/device_list.h"
#include "adb/plain_shell.h"
#include "adb/process_list.h"
#include "adb/wire.h"
#include "base/bytes.h"
#include "check.h"

static bool lies_in(struct tv_str view, const struct tv_buffer *buffer)
{
    const char *begin = (const char *)buffer->bytes;
    return view.len == 0 || (view.at >= begin && view.len <= buffer->len &&
                             (size_t)(view.at - begin) <= buffer->len - view.len);
}

static void check_devices(struct tv_str text)
{
    struct tv_adb_devices devices;
    tv_adb_devices_init(&devices, tv_alloc_libc());
    FUZZ_CHECK(tv_adb_read_devices(text, &devices, NULL) == TV_OK);
    FUZZ_CHECK(devices.count <= text.len);
    for (size_t i = 0; i < devices.count; i++) {
        const struct tv_adb_device *device = &devices.of[i];
        FUZZ_CHECK(lies_in(device->serial, &devices.text) && lies_in(device->model, &devices.text));
        FUZZ_CHECK(lies_in(device->product, &devices.text) && lies_in(device->name, &devices.text));
        FUZZ_CHECK(device->serial.len && tv_adb_state_word(device).len);
    }
    tv_adb_devices_release(&devices);
}

/* A text up to the first NUL, and the rest. */
static struct tv_str take_part(struct tv_str *text)
{
    struct tv_str part = {text->at, 0};
    if (!tv_str_split(text, '\0', &part))
        part.len = 0;
    return part;
}

static void check_process(const struct tv_adb_processes *processes, size_t i)
{
    const struct tv_adb_process *process = &processes->of[i];
    FUZZ_CHECK(process->pid && process->pid <= UINT64_C(1) << 22);
    FUZZ_CHECK(!process->is_debuggable || process->is_profileable);
    FUZZ_CHECK(lies_in(process->name, &processes->text) ||
               lies_in(process->name, &processes->table));
    FUZZ_CHECK(lies_in(process->package, &processes->text) ||
               lies_in(process->package, &processes->table));
    FUZZ_CHECK(lies_in(process->unix_user, &processes->table));
    if (i)
        FUZZ_CHECK(tv_str_compare(process[-1].name, process->name) <= 0);
}

static void check_processes(struct tv_str text, bool is_message)
{
    struct tv_adb_processes processes;
    struct tv_error err = {.code = TV_OK};
    /* A message has NULs; the table stands before it. */
    struct tv_str table = take_part(&text);
    tv_adb_processes_init(&processes, tv_alloc_libc());
    enum tv_code code = is_message ? tv_adb_read_apps(text, &processes, &err)
                                   : tv_adb_read_jdwp(text, &processes, &err);
    FUZZ_CHECK(code == TV_OK || (code == TV_ERR_FORMAT && err.text[0] && !strchr(err.text, '\n')));
    const size_t count = processes.count;
    FUZZ_CHECK(count <= text.len);
    if (code == TV_OK) {
        FUZZ_CHECK(tv_adb_read_ps(table, &processes, NULL) == TV_OK);
        FUZZ_CHECK(processes.count <= count);
        FUZZ_CHECK(tv_adb_finish_processes(&processes, NULL) == TV_OK);
        for (size_t i = 0; i < processes.count; i++)
            check_process(&processes, i);
    }
    tv_adb_processes_release(&processes);
}

static int run_shell(struct tv_str text, size_t piece, struct tv_buffer *out)
{
    struct tv_adb_plain plain = {.sink = tv_buffer_sink(out)};
    int status = 0;
    for (size_t at = 0; at < text.len; at += piece) {
        const size_t len = text.len - at < piece ? text.len - at : piece;
        FUZZ_CHECK(tv_adb_plain_push(&plain, (struct tv_str){text.at + at, len}, NULL) == TV_OK);
    }
    FUZZ_CHECK(tv_adb_plain_end(&plain, &status, NULL) == TV_OK);
    return status;
}

static void check_shell(struct tv_str text)
{
    struct tv_buffer whole, pieces;
    tv_buffer_init(&whole, tv_alloc_libc());
    tv_buffer_init(&pieces, tv_alloc_libc());
    const int status = run_shell(text, text.len + 1, &whole);
    for (size_t piece = 1; piece < 80; piece += 13) {
        pieces.len = 0;
        FUZZ_CHECK(run_shell(text, piece, &pieces) == status);
        FUZZ_CHECK(tv_str_equal(tv_buffer_view(&whole), tv_buffer_view(&pieces)));
    }
    FUZZ_CHECK(whole.len <= text.len && status >= -1 && status <= 255);
    tv_buffer_release(&whole);
    tv_buffer_release(&pieces);
}

static void check_words(struct tv_str text)
{
    uint8_t bytes[TV_ADB_ENTRY_V2_LEN] = {0};
    struct tv_adb_target target = {.serial = ""};
    uint32_t len, error;
    if (text.len)
        memcpy(bytes, text.at, text.len < sizeof(bytes) ? text.len : sizeof(bytes));
    if (tv_adb_read_length(bytes, &len))
        FUZZ_CHECK(len <= UINT16_MAX);
    FUZZ_CHECK(tv_adb_read_stat(bytes).is_there == (tv_load_le32(bytes + 4) != 0));
    FUZZ_CHECK(tv_adb_read_stat_v2(bytes, &error).is_there == (error == 0));
    (void)tv_adb_read_entry(bytes, &len);
    (void)tv_adb_read_entry_v2(bytes, &len);
    tv_adb_read_features(text, &target);
    FUZZ_CHECK(tv_adb_trouble_of(text) != TV_ADB_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (!len)
        return 0;
    const struct tv_str text = {(const char *)bytes + 1, len - 1};
    switch (bytes[0] % 5) {
    case 0:
        check_devices(text);
        break;
    case 1:
        check_processes(text, true);
        break;
    case 2:
        check_processes(text, false);
        break;
    case 3:
        check_shell(text);
        break;
    default:
        check_words(text);
    }
    return 0;
}
