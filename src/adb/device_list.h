/* The server's list of devices, as text. */
#ifndef TV_ADB_DEVICE_LIST_H
#define TV_ADB_DEVICE_LIST_H

#include "adb/adb.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

/* Replaces the list by that of a text of the server ("adb devices -l" without its heading). Lines
 * that name no device and state are left out. */
enum tv_code tv_adb_read_devices(struct tv_str text, struct tv_adb_devices *devices,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
