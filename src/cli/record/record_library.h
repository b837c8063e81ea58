/* The recorder's libraries, where they are installed or were built beside the program. */
#ifndef TV_CLI_RECORD_RECORD_LIBRARY_H
#define TV_CLI_RECORD_RECORD_LIBRARY_H

#include "base/compiler.h"
#include "base/error.h"
#include "os/file/paths.h"

#define TV_RECORD_LIBRARY "libtraceview-instrument.so.1"
#define TV_RECORD_JAVA_LIBRARY "libtraceview-jvm.so"
#define TV_RECORD_PYTHON_LIBRARY "libtraceview-python.so"

/* Finds a library by its name; TV_ERR_NOT_FOUND. */
enum tv_code tv_record_find_library(char path[TV_PATH_CAP], const char *name,
                                    struct tv_error *err) TV_MUST_CHECK;

/* Makes of the path of a library one that LD_PRELOAD and PYTHONPATH can say, without blanks and
 * colons: where its folder has them, by a link to the folder in the user's cache, which stays for
 * processes that outlive the recording. */
enum tv_code tv_record_link_library(char path[TV_PATH_CAP], struct tv_error *err) TV_MUST_CHECK;

#endif
