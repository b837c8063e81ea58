/*
 * Names of the traces of apps; see cli/record/record_app_file.h. One app may be recorded twice in a
 * second, or on two devices, or into the file that another recording was told, too: the part into
 * which the bytes come is made here, and only where it is not there yet.
 */
#include "cli/record/record_app_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/device/device.h"

/* The most recordings of one app in one second that get different names. */
#define NAMES_MOST 100u

static enum tv_code name(struct tv_app_file *file, const char *package, const char *output,
                         unsigned number, struct tv_error *err)
{
    char date[32], again[16] = "";
    struct tm parts;
    const time_t now = time(NULL);
    if (!localtime_r(&now, &parts) || !strftime(date, sizeof(date), "%Y-%m-%d-%H%M%S", &parts))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the clock has no date");
    if (number > 1)
        (void)snprintf(again, sizeof(again), output ? ".%u" : "-%u", number);
    (void)snprintf(file->name, sizeof(file->name), "%s-%s%s.trace", package, date,
                   output ? "" : again);
    const int len = snprintf(file->local, sizeof(file->local), "%s", output ? output : file->name);
    const int part_len =
        snprintf(file->part, sizeof(file->part), "%s%s.part", file->local, output ? again : "");
    return len > 0 && part_len > 0 && part_len < TV_PATH_CAP
               ? TV_OK
               : tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the name of the trace is too long");
}

/* Makes the part; *is_taken: somebody has it, or the trace of a name that is our own choice. */
static enum tv_code make_part(const struct tv_app_file *file, bool is_chosen, bool *is_taken,
                              struct tv_error *err)
{
    *is_taken = is_chosen && access(file->local, F_OK) == 0;
    if (*is_taken)
        return TV_OK;
    TV_TRY(tv_device_check_name(file->local, err));
    const int part = open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *is_taken = part < 0 && errno == EEXIST;
    if (part < 0 && !*is_taken)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "%s cannot be written here, so nothing is recorded: %s", file->local,
                       strerror(errno));
    if (part >= 0)
        (void)close(part);
    return TV_OK;
}

enum tv_code tv_app_file_take(struct tv_app_file *file, const char *package, const char *output,
                              struct tv_error *err)
{
    bool is_taken = true;
    enum tv_code code = TV_OK;
    for (unsigned number = 1; code == TV_OK && is_taken && number <= NAMES_MOST; number++) {
        code = name(file, package, output, number, err);
        if (code == TV_OK)
            code = make_part(file, !output, &is_taken, err);
    }
    if (code == TV_OK && is_taken)
        code = tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "%s is taken, as %u names before it are: name the trace with -o", file->part,
                       NAMES_MOST - 1);
    if (code != TV_OK)
        file->part[0] = '\0'; /* it is none of ours */
    return code;
}

void tv_app_file_release(const struct tv_app_file *file)
{
    struct stat part;
    if (file->part[0] && stat(file->part, &part) == 0 && part.st_size == 0)
        (void)unlink(file->part);
}
