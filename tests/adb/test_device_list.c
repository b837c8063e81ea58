/* The server's list of devices. */
#include "adb/device_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(struct tv_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    if (text.len)
        assert_memory_equal(text.at, expected, text.len);
}

static void a_line_has_serial_state_and_names(void **state)
{
    struct tv_adb_devices devices;
    (void)state;
    tv_adb_devices_init(&devices, tv_alloc_libc());
    assert_int_equal(
        tv_adb_read_devices(TV_STR("3A1X0                  device usb:1-2 product:shiba "
                                   "model:Pixel_8 device:shiba transport_id:4\n"
                                   "emulator-5554\toffline\n"),
                            &devices, NULL),
        TV_OK);
    assert_int_equal(devices.count, 2);
    assert_text(devices.of[0].serial, "3A1X0");
    assert_text(devices.of[0].product, "shiba");
    assert_text(devices.of[0].model, "Pixel_8");
    assert_text(devices.of[0].name, "shiba");
    assert_int_equal(devices.of[0].state, TV_ADB_STATE_DEVICE);
    assert_text(tv_adb_state_word(&devices.of[0]), "ready");
    assert_text(devices.of[1].serial, "emulator-5554");
    assert_int_equal(devices.of[1].state, TV_ADB_STATE_OFFLINE);
    assert_text(devices.of[1].model, "");
    tv_adb_devices_release(&devices);
}

static void each_state_is_known(void **state)
{
    struct tv_adb_devices devices;
    (void)state;
    tv_adb_devices_init(&devices, tv_alloc_libc());
    assert_int_equal(
        tv_adb_read_devices(
            TV_STR("A unauthorized usb:1-1\nB authorizing\n"
                   "C no permissions (user in plugdev group; are your udev rules wrong?); see "
                   "[http://developer.android.com/tools/device.html] usb:1-1\n"
                   "(no serial number)     no permissions; see [http://x]\n"
                   "D recovery product:x\n\n lonely\n"),
            &devices, NULL),
        TV_OK);
    assert_int_equal(devices.count, 5);
    assert_int_equal(devices.of[0].state, TV_ADB_STATE_UNAUTHORISED);
    assert_int_equal(devices.of[1].state, TV_ADB_STATE_UNAUTHORISED);
    assert_int_equal(devices.of[2].state, TV_ADB_STATE_NO_PERMISSION);
    assert_text(tv_adb_state_word(&devices.of[2]), "no permission");
    assert_text(devices.of[3].serial, "(no serial number)");
    assert_int_equal(devices.of[3].state, TV_ADB_STATE_NO_PERMISSION);
    assert_int_equal(devices.of[4].state, TV_ADB_STATE_OTHER);
    assert_text(tv_adb_state_word(&devices.of[4]), "recovery");
    tv_adb_devices_release(&devices);
}

static void a_list_replaces_the_former(void **state)
{
    struct tv_adb_devices devices;
    (void)state;
    tv_adb_devices_init(&devices, tv_alloc_libc());
    assert_int_equal(tv_adb_read_devices(TV_STR("A device\nB device\n"), &devices, NULL), TV_OK);
    assert_int_equal(tv_adb_read_devices(TV_STR(""), &devices, NULL), TV_OK);
    assert_int_equal(devices.count, 0);
    tv_adb_devices_release(&devices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_serial_state_and_names),
        cmocka_unit_test(each_state_is_known),
        cmocka_unit_test(a_list_replaces_the_former),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
