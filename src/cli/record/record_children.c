/*
 * Children of a recorded program; see cli/record/record_children.h. Their files are
 * FILE.recording.N.PID, N being the number of this process, so that the files of an
 * earlier recording are never taken for this one's.
 */
#include "cli/record/record_children.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/str.h"
#include "cli/record/record_join.h"
#include "cli/record/record_library.h"
#include "os/file/file.h"
#include "os/file/paths.h"
#include "os/java/java.h"
#include "os/process/program_file.h"
#include "os/process/thread_facts.h"
#include "record/hooks.h"

#define HOOK "__cyg_profile_func_enter"
#define PARTS_MOST 65536u
#define ENVIRONMENT_CAP ((size_t)1 << 17)
#define END_LOOKS 60u /* for three seconds */
#define END_LOOK_NS 50000000L

bool tv_record_children_are_recorded(const struct tv_record_run *recording)
{
    char path[TV_PATH_CAP];
    if (recording->options->jvm)
        return false;
    if (recording->options->children)
        return true;
    if (recording->options->sample.is_given)
        return !recording->is_java && !recording->options->alone;
    return !recording->is_java && tv_program_file(recording->words[0], path) &&
           !tv_program_file_has(path, HOOK);
}

enum tv_code tv_record_children_await(struct tv_record_run *recording, struct tv_error *err)
{
    const char *stream;
    TV_TRY(tv_record_run_from_root(recording, recording->stream, &stream, err));
    const int len = snprintf(recording->parts, TV_PATH_CAP, "%s.%ld", stream, (long)getpid());
    if (len < 0 || len >= TV_PATH_CAP)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the name of the trace is too long");
    (void)remove(recording->parts); /* of a process of before that had our number */
    recording->marker =
        open(recording->parts, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0644);
    if (recording->marker >= 0 && flock(recording->marker, LOCK_EX) != 0)
        tv_record_children_await_no_more(recording);
    return TV_OK;
}

void tv_record_children_await_no_more(struct tv_record_run *recording)
{
    if (recording->marker < 0)
        return;
    (void)remove(recording->parts);
    (void)close(recording->marker);
    recording->marker = -1;
}

/* The folder of what begins a recording in Python, before what the user has in the variable. A
 * build has it beside the library, an installation in a folder of the program's own. */
static enum tv_code prepare_python(struct tv_record_run *recording, struct tv_error *err)
{
    static const char *const folders[] = {"python/startup", "traceview/python/startup"};
    char library[TV_PATH_CAP];
    const char *before = getenv("PYTHONPATH");
    char *text;
    struct tv_error why = {.code = TV_OK};
    if (recording->options->sample.is_given ||
        tv_record_find_library(library, TV_RECORD_PYTHON_LIBRARY, &why) != TV_OK)
        return TV_OK;
    TV_TRY(tv_record_link_library(library, err));
    const int folder_len = (int)(strrchr(library, '/') - library);
    const size_t cap = strlen(library) + (before ? strlen(before) : 0) + 64;
    TV_TRY(tv_arena_take(&recording->texts, cap, &text, err));
    for (size_t i = 0; i < TV_COUNT_OF(folders) && !recording->python_path; i++) {
        (void)snprintf(text, cap, "%.*s/%s", folder_len, library, folders[i]);
        if (access(text, R_OK) == 0)
            recording->python_path = text;
    }
    if (before && *before) {
        const size_t len = strlen(text);
        (void)snprintf(text + len, cap - len, ":%s", before);
    }
    return TV_OK;
}

/* Our agent behind what the user has in the variable. A virtual machine parts the words of the
 * variable at blanks, but not between quotes. */
enum tv_code tv_record_children_prepare(struct tv_record_run *recording, struct tv_error *err)
{
    char library[TV_PATH_CAP];
    const char *before = getenv("JAVA_TOOL_OPTIONS");
    const char *options;
    char *text;
    struct tv_error why = {.code = TV_OK};
    struct tv_record_java java = recording->java;
    TV_TRY(prepare_python(recording, err));
    if (tv_record_find_library(library, TV_RECORD_JAVA_LIBRARY, &why) != TV_OK) {
        return recording->options->classes ? tv_fail(err, why.code, TV_NO_OFFSET, "%s", why.text)
                                           : TV_OK;
    }
    memcpy(recording->agent, library, sizeof(library));
    recording->java.library = recording->agent;
    java.stream = recording->parts;
    java.is_for_each = true;
    TV_TRY(tv_record_java_options(&recording->texts, &java, &options, err));
    size_t cap = strlen(library) + strlen(options) + (before ? strlen(before) : 0) + 32;
    TV_TRY(tv_arena_take(&recording->texts, cap, &text, err));
    if (strchr(library, '"') || strchr(options, '"'))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "JAVA_TOOL_OPTIONS cannot say a name with a quote in it");
    (void)snprintf(text, cap, "%s%s\"-agentpath:%s=%s\"", before ? before : "",
                   before && *before ? " " : "", library, options);
    recording->java_tool_options = text;
    return TV_OK;
}

/* The files of the others, and as the last one what the program itself wrote. */
struct parts {
    struct tv_record_part *of;
    size_t count;
    size_t left_out; /* that are another user's, or no files */
};

/* Whoever may put files into the folder may put one there that is no process's. */
static bool is_part(const char *path)
{
    struct stat there;
    return lstat(path, &there) == 0 && S_ISREG(there.st_mode) && !tv_path_is_strangers(path);
}

/* Finds the files PARTS.PID and PARTS.PID-N, which processes of the program left beside the
 * recording. One place is left free for what the program itself wrote. */
static enum tv_code find_parts(struct tv_record_run *recording, struct parts *parts,
                               struct tv_error *err)
{
    const char *name;
    *parts = (struct parts){.count = 0};
    TV_TRY(tv_arena_take(&recording->texts, PARTS_MOST * sizeof(*parts->of), &parts->of, err));
    DIR *there = tv_record_run_folder(recording->parts, &name);
    const size_t name_len = strlen(name);
    for (struct dirent *entry;
         there && parts->count + 1 < PARTS_MOST && (entry = readdir(there));) {
        uint64_t pid;
        char *path;
        const char *digits = entry->d_name + name_len + 1;
        if (strncmp(entry->d_name, name, name_len) != 0 || entry->d_name[name_len] != '.' ||
            !tv_str_to_u64((struct tv_str){digits, strcspn(digits, "-")}, 10, &pid) || !pid ||
            pid > INT32_MAX)
            continue;
        const size_t cap = strlen(recording->parts) + strlen(digits) + 2;
        if (tv_arena_take(&recording->texts, cap, &path, err) != TV_OK)
            break;
        (void)snprintf(path, cap, "%s.%s", recording->parts, digits);
        if (!is_part(path)) {
            parts->left_out++;
            continue;
        }
        parts->of[parts->count++] = (struct tv_record_part){.path = path, .pid = (uint32_t)pid};
    }
    if (there)
        (void)closedir(there);
    return TV_OK;
}

static int compare_parts(const void *a, const void *b)
{
    const struct tv_record_part *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

bool tv_record_children_is_told(const char *parts, pid_t pid)
{
    char environment[ENVIRONMENT_CAP];
    const ssize_t len = tv_java_read_proc(pid, "environ", environment, sizeof(environment));
    return len > 0 && tv_str_find((struct tv_str){environment, (size_t)len}, tv_str_from(parts),
                                  TV_CASE_EXACT) != SIZE_MAX;
}

/* Not another one that has got its number. */
static bool is_ours(const struct tv_record_run *recording, pid_t pid)
{
    return tv_record_children_is_told(recording->parts, pid);
}

void tv_record_children_each(struct tv_record_run *recording, void (*each)(void *ctx, pid_t pid),
                             void *ctx)
{
    struct parts parts;
    struct tv_error err = {.code = TV_OK};
    if (find_parts(recording, &parts, &err) != TV_OK)
        return;
    for (size_t i = 0; i < parts.count; i++) {
        if (is_ours(recording, (pid_t)parts.of[i].pid))
            each(ctx, (pid_t)parts.of[i].pid);
    }
}

/* Ends the recording of a process, and nothing else. */
static void end_recording(const struct tv_record_run *recording, pid_t pid)
{
    struct tv_error err = {.code = TV_OK};
    if (!tv_java_is_machine(pid)) {
        if (tv_process_handles(pid, TV_HOOKS_STOP_SIGNAL))
            (void)kill(pid, TV_HOOKS_STOP_SIGNAL);
    } else if (tv_record_java_stop(&recording->java, pid, &err) != TV_OK) {
        tv_cli_note(recording->cli, recording->path, "%s", err.text);
    }
}

void tv_record_children_stop(struct tv_record_run *recording)
{
    struct parts parts;
    struct tv_error err = {.code = TV_OK};
    const char *then = recording->options->then;
    if (!recording->has_children || find_parts(recording, &parts, &err) != TV_OK)
        return;
    for (size_t i = 0; i < parts.count; i++) {
        const pid_t pid = (pid_t)parts.of[i].pid;
        if (!is_ours(recording, pid))
            continue;
        if (!then || then[0] != 'k')
            (void)kill(pid, SIGTERM);
        else
            end_recording(recording, pid);
    }
}

/* Whether a process has a file open. */
static bool has_open(pid_t pid, const char *path)
{
    char name[64];
    struct stat file, there;
    bool has = false;
    (void)snprintf(name, sizeof(name), "/proc/%d/fd", (int)pid);
    DIR *descriptors = stat(path, &file) == 0 ? opendir(name) : NULL;
    for (struct dirent *entry; descriptors && !has && (entry = readdir(descriptors));)
        has = fstatat(dirfd(descriptors), entry->d_name, &there, 0) == 0 &&
              tv_file_is_same(&there, &file);
    if (descriptors)
        (void)closedir(descriptors);
    return has;
}

static size_t count_recording(const struct parts *parts)
{
    size_t count = 0;
    for (size_t i = 0; i < parts->count; i++)
        count += has_open((pid_t)parts->of[i].pid, parts->of[i].path);
    return count;
}

/* What outlives the program is recorded no more: it writes the rest of its records, and runs on. A
 * process that does not is stopped by the end of its file (record/output.c). */
static void end_recordings(struct tv_record_run *recording, const struct parts *parts)
{
    const struct timespec look = {.tv_nsec = END_LOOK_NS};
    const size_t count = count_recording(parts);
    for (size_t i = 0; i < parts->count; i++) {
        const pid_t pid = (pid_t)parts->of[i].pid;
        if (has_open(pid, parts->of[i].path) && is_ours(recording, pid))
            end_recording(recording, pid);
    }
    for (unsigned looks = 0; looks < END_LOOKS && count_recording(parts); looks++)
        (void)nanosleep(&look, NULL);
    if (count)
        tv_cli_note(recording->cli, recording->path,
                    count == 1 ? "1 process runs on, and is recorded no more"
                               : "%zu processes run on, and are recorded no more",
                    count);
}

/* Processes that were told to end take a moment, in which they write their files. */
static void wait_for_parts(const struct tv_record_run *recording, const struct parts *parts)
{
    const struct timespec look = {.tv_nsec = END_LOOK_NS};
    for (unsigned looks = 0; looks < END_LOOKS; looks++) {
        size_t alive = 0;
        for (size_t i = 0; i < parts->count; i++)
            alive += is_ours(recording, (pid_t)parts->of[i].pid);
        if (!alive)
            return;
        (void)nanosleep(&look, NULL);
    }
}

static void tell(const struct tv_record_run *recording, const struct tv_record_joined *joined)
{
    if (joined->processes > 1)
        tv_cli_note(recording->cli, recording->path,
                    "%zu processes: the names of threads begin with theirs", joined->processes);
    if (joined->cut)
        tv_cli_note(recording->cli, recording->path,
                    "%zu of the processes went on, or were killed: the last records of each of "
                    "their threads are lost",
                    joined->cut);
    if (joined->empty)
        tv_cli_note(
            recording->cli, recording->path,
            "%zu further processes went on, or were killed, before their first records were "
            "written: all are lost",
            joined->empty);
    if (joined->unread)
        tv_cli_note(recording->cli, recording->path,
                    "%zu processes have other clocks, and are left out", joined->unread);
}

bool tv_record_children_have_begun(const struct tv_record_run *recording)
{
    const char *name;
    bool has = false;
    DIR *there = tv_record_run_folder(recording->parts, &name);
    const size_t len = strlen(name);
    for (struct dirent *entry; there && !has && (entry = readdir(there));)
        has = strncmp(entry->d_name, name, len) == 0 && entry->d_name[len] == '.';
    if (there)
        (void)closedir(there);
    return has;
}

bool tv_record_children_have_recorded(struct tv_record_run *recording)
{
    struct parts parts;
    struct tv_error err = {.code = TV_OK};
    return recording->has_children && find_parts(recording, &parts, &err) == TV_OK && parts.count;
}

enum tv_code tv_record_children_join(struct tv_record_run *recording, struct tv_error *err)
{
    struct parts parts;
    struct tv_record_joined joined;
    tv_record_children_await_no_more(recording);
    if (!recording->has_children)
        return TV_OK;
    TV_TRY(find_parts(recording, &parts, err));
    if (parts.left_out)
        tv_cli_note(recording->cli, recording->parts,
                    "%zu file%s of that beginning %s another user's, or no file, and left out",
                    parts.left_out, parts.left_out == 1 ? "" : "s",
                    parts.left_out == 1 ? "is" : "are");
    if (!parts.count)
        return TV_OK;
    if (recording->end.was_told_to_end)
        wait_for_parts(recording, &parts);
    end_recordings(recording, &parts);
    qsort(parts.of, parts.count, sizeof(*parts.of), compare_parts);
    const size_t others = parts.count;
    if (tv_record_run_len(recording->stream))
        parts.of[parts.count++] = (struct tv_record_part){.path = recording->stream};
    enum tv_code code =
        tv_record_join(recording->cli, parts.of, parts.count, recording->stream, &joined, err);
    /* What is left out may be of a process that has changed its user, whose calls are missing. */
    recording->cut = code == TV_OK ? joined.cut + joined.empty + parts.left_out : 0;
    /* What virtual machines alone recorded is told, and named, as Java is. */
    recording->is_java |= code == TV_OK && joined.processes && joined.machines == joined.processes;
    for (size_t i = 0; code == TV_OK && i < others; i++)
        (void)remove(parts.of[i].path);
    if (code == TV_OK)
        tell(recording, &joined);
    return code;
}
