/* What a device tells of its processes: three lists, none of which has everything. */
#ifndef TV_ADB_PROCESS_LIST_H
#define TV_ADB_PROCESS_LIST_H

#include "adb/adb.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

/* Each empties the list, and fills it. The service `jdwp`: numbers of debuggable processes, one a
 * line. TV_ERR_FORMAT where a line is no number. */
enum tv_code tv_adb_read_jdwp(struct tv_str text, struct tv_adb_processes *processes,
                              struct tv_error *err) TV_MUST_CHECK;
/* The service `track-app`: a message of debuggable and profileable processes
 * (app_processes.proto). TV_ERR_FORMAT where the message is cut or no such message. */
enum tv_code tv_adb_read_apps(struct tv_str message, struct tv_adb_processes *processes,
                              struct tv_error *err) TV_MUST_CHECK;

/* Adds to each process of the list what `ps` says of it: name, user, and how long it has run where
 * that is a column. Processes of which `ps` does not know have ended, and go. */
enum tv_code tv_adb_read_ps(struct tv_str text, struct tv_adb_processes *processes,
                            struct tv_error *err) TV_MUST_CHECK;

/* Completes names from one another, and sorts by name and number. */
enum tv_code tv_adb_finish_processes(struct tv_adb_processes *processes,
                                     struct tv_error *err) TV_MUST_CHECK;

#endif
