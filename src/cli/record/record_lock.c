/*
 * Recordings of programs that run at the same time, as in the jobs of a build, have different
 * files; see cli/record/record_lock.h. FILE.recording.lock is locked while FILE is recorded into:
 * the stream itself cannot be, since the program makes it, and its being there tells that it has
 * begun. Where the disk has no locks, or nothing can be written there, it is as if nobody else were
 * there.
 */
#include "cli/record/record_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/file/load.h"
#include "os/file/file.h"
#include "os/file/paths.h"

/* Names that are tried, for recordings at one time and for leftovers of killed ones. */
#define NAMES_MOST 10000u
#define NUMBER_CAP 24u
#define EMPTY_MOST 4096u /* bytes of a stream without records */

/* What the program writes lies beside the trace, as does the lock. */
static enum tv_code name_files(struct tv_record_run *recording, const char *path,
                               struct tv_error *err)
{
    recording->path = path;
    const int len = snprintf(recording->stream, TV_PATH_CAP, "%s.recording", path);
    const int lock_len = snprintf(recording->lock_path, TV_PATH_CAP, "%s.recording.lock", path);
    return len > 0 && lock_len > 0 && lock_len < TV_PATH_CAP
               ? TV_OK
               : tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the name of the trace is too long");
}

/* The file goes with its recording: what was opened may have no name any more when it is locked. */
static bool is_of_path(int file, const char *path)
{
    struct stat held, there;
    return fstat(file, &held) == 0 && stat(path, &there) == 0 && tv_file_is_same(&held, &there);
}

static void write_number(int file)
{
    char text[NUMBER_CAP];
    const int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(file, 0) == 0 && pwrite(file, text, (size_t)len, 0) < 0)
        errno = 0; /* it is for a message alone */
}

/* 0: it is not there yet. */
static long read_number(int file)
{
    char text[NUMBER_CAP];
    const ssize_t len = pread(file, text, sizeof(text) - 1, 0);
    text[len > 0 ? len : 0] = '\0';
    return strtol(text, NULL, 10);
}

/* False: another process has it, whose number is set. */
static bool take(struct tv_record_run *recording, long *holder)
{
    for (;;) {
        const int file =
            open(recording->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0644);
        if (file < 0)
            return true;
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            *holder = read_number(file);
            (void)close(file);
            return false;
        }
        if (is_of_path(file, recording->lock_path)) {
            write_number(file);
            recording->lock = file;
            return true;
        }
        (void)close(file);
    }
}

/* Without -o. An old dmtrace.trace is replaced; dmtrace.2.trace and on are not: another recording
 * wrote them, perhaps just now. */
static enum tv_code take_free_name(struct tv_record_run *recording, struct tv_error *err)
{
    long first = 0, other;
    TV_TRY(name_files(recording, "dmtrace.trace", err));
    if (take(recording, &first))
        return TV_OK;
    for (unsigned number = 2; number < NAMES_MOST; number++) {
        char *name = recording->chosen;
        (void)snprintf(name, sizeof(recording->chosen), "dmtrace.%u.trace", number);
        if (access(name, F_OK) == 0)
            continue;
        TV_TRY(name_files(recording, name, err));
        if (!take(recording, &other))
            continue;
        if (access(name, F_OK) == 0) { /* by now */
            tv_record_lock_drop(recording);
            continue;
        }
        tv_cli_note(recording->cli, recording->path,
                    "the trace goes here, since process %ld records into dmtrace.trace", first);
        return TV_OK;
    }
    return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                   "dmtrace.trace and %u names like it are taken: name the trace with -o",
                   NAMES_MOST - 2);
}

/* Whether a file may have records: a long one has, and one that cannot be read, may. */
static bool may_have_records(const struct tv_record_run *recording, const char *path)
{
    struct tv_opened opened;
    struct tv_error why = {.code = TV_OK};
    const uint64_t len = tv_record_run_len(path);
    if (!len || len > EMPTY_MOST)
        return len != 0;
    tv_opened_init(&opened, recording->cli->alloc);
    const bool is_empty =
        tv_opened_open(&opened, path, &(struct tv_open_opts){.tell = NULL}, &why) == TV_OK &&
        !opened.trace.fixed.count;
    tv_opened_release(&opened);
    return !is_empty;
}

/* Tells of the files that further processes wrote, whose names have two process ids, of traceview
 * record and of the program, and so clash with no others: FILE.recording.4242.4243. */
static void tell_left_parts(const struct tv_record_run *recording)
{
    const char *name;
    char path[TV_PATH_CAP];
    size_t count = 0;
    uint64_t bytes = 0;
    DIR *there = tv_record_run_folder(recording->stream, &name);
    const size_t len = strlen(name);
    for (struct dirent *entry; there && (entry = readdir(there));) {
        if (strncmp(entry->d_name, name, len) != 0)
            continue;
        const char *rest = entry->d_name + len;
        if (strspn(rest, ".-0123456789") != strlen(rest) || rest[0] != '.' ||
            !strchr(rest + 1, '.'))
            continue;
        const int path_len = snprintf(path, sizeof(path), "%s%s", recording->stream, rest);
        if (path_len < 0 || path_len >= TV_PATH_CAP || !may_have_records(recording, path))
            continue;
        count++;
        bytes += tv_record_run_len(path);
    }
    if (there)
        (void)closedir(there);
    if (count)
        tv_cli_note(recording->cli, recording->stream,
                    "%.1f MB of %zu process%s of earlier recordings that did not come to their end "
                    "are kept here, with numbers behind the name, as traces without names",
                    (double)bytes / 1e6, count, count == 1 ? "" : "es");
}

/* What a recorder that was killed has left is the only place where its calls are. */
static void keep_left(const struct tv_record_run *recording)
{
    char kept[TV_PATH_CAP];
    const uint64_t bytes = tv_record_run_len(recording->stream);
    tell_left_parts(recording);
    if (bytes && !may_have_records(recording, recording->stream))
        return;
    for (unsigned number = 1; bytes && number < NAMES_MOST; number++) {
        const int len = snprintf(kept, sizeof(kept), "%s-%u", recording->stream, number);
        if (len < 0 || len >= TV_PATH_CAP)
            return;
        if (access(kept, F_OK) == 0)
            continue;
        if (rename(recording->stream, kept) == 0)
            tv_cli_note(recording->cli, kept,
                        "%.1f MB of an earlier recording that did not come to its end are kept "
                        "here, a trace without names",
                        (double)bytes / 1e6);
        return;
    }
}

/* What the program writes must not go into what somebody else has put there, nor wait for the
 * reader of a pipe. */
static enum tv_code look_at_stream(const struct tv_record_run *recording, struct tv_error *err)
{
    struct stat there;
    const char *stream = recording->stream;
    if (tv_path_is_strangers(stream))
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "%s is another user's: name another file with -o, in a folder of your own",
                       stream);
    if (stat(stream, &there) == 0 && !S_ISREG(there.st_mode))
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "%s is not a file: remove it, or name another file with -o", stream);
    return TV_OK;
}

enum tv_code tv_record_lock_take(struct tv_record_run *recording, struct tv_error *err)
{
    const char *output = recording->options->output;
    long holder = 0;
    if (!output) {
        TV_TRY(take_free_name(recording, err));
    } else {
        TV_TRY(name_files(recording, output, err));
        if (!take(recording, &holder))
            return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                           "%s is being recorded into already, by process %ld: name another file "
                           "with -o",
                           output, holder);
    }
    const enum tv_code code = look_at_stream(recording, err);
    if (code == TV_OK)
        keep_left(recording);
    else
        tv_record_lock_drop(recording);
    return code;
}

void tv_record_lock_drop(struct tv_record_run *recording)
{
    if (recording->lock < 0)
        return;
    (void)remove(recording->lock_path);
    (void)close(recording->lock);
    recording->lock = -1;
}
