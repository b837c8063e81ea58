/* The start of the adb server. Where it is, tv_adb_init tells. */
#ifndef TV_ADB_START_H
#define TV_ADB_START_H

#include <stdbool.h>

#include "adb/adb.h"
#include "base/compiler.h"
#include "base/error.h"

/* Whether a server that does not run may be started: it would be on this computer. */
bool tv_adb_may_start(const struct tv_adb *adb);
/* Runs the user's adb, which starts its server. */
enum tv_code tv_adb_start(struct tv_adb *adb, struct tv_error *err) TV_MUST_CHECK;

#endif
