/*
 * Traces on a device: finding them in the folders where apps and tools write them, and taking one;
 * see cli/device/device_traces.h. Private files of a debuggable app are listed and read with the
 * app's rights (run-as), all others by adb's own file transfer.
 *
 * Names come from the device and are untrusted: a name with a slash, a very long one and one that
 * does not end in .trace are left out, every name is quoted in a command, and a local name has no
 * control characters and begins with no "-" or ".".
 */
#include "cli/device/device_traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file/output.h"

#define EXTERNAL "/sdcard"
/* A device with more of them is no device. */
#define FILES_MOST 10000u
/* A private file that is being written is read up to MOST_TRIES times, PAUSE_MS apart, until its
 * end is there. */
#define MOST_TRIES 20u
#define PAUSE_MS 500u
/* Before Android 7 a shell's output goes through a terminal, which changes bytes. */
#define SDK_RAW 24u

void tv_device_files_init(struct tv_device_files *files, const struct tv_alloc *alloc)
{
    *files = (struct tv_device_files){.code = TV_OK};
    tv_arena_init(&files->texts, alloc);
}

void tv_device_files_release(struct tv_device_files *files)
{
    tv_arena_release(&files->texts);
    *files = (struct tv_device_files){.code = TV_OK};
}

/* The name comes from the device. Without its folders, without control characters and without a
 * leading dash or dot it cannot leave this folder, nor look like an option. */
void tv_device_file_name(const struct tv_device_file *file, char name[TV_PATH_CAP])
{
    (void)snprintf(name, TV_PATH_CAP, "%s", tv_file_name_of(file->path));
    for (char *at = name; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f || (at == name && (*at == '-' || *at == '.')))
            *at = '_';
    }
}

/* Adds a file; the array moves within the arena, which is small. */
static enum tv_code add(struct tv_device_files *files, const char *folder, struct tv_str name,
                        const struct tv_device_file *file, struct tv_error *err)
{
    char *path;
    if (files->count == files->cap) {
        size_t cap = files->cap ? files->cap * 2 : 16;
        struct tv_device_file *more;
        if (cap > FILES_MOST)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the device lists too many traces");
        TV_TRY(tv_arena_take(&files->texts, cap * sizeof(*more), &more, err));
        if (files->count)
            memcpy(more, files->of, files->count * sizeof(*more));
        files->of = more;
        files->cap = cap;
    }
    size_t folder_len = strlen(folder);
    TV_TRY(tv_arena_take(&files->texts, folder_len + name.len + 2, &path, err));
    (void)snprintf(path, folder_len + name.len + 2, "%s%s%.*s", folder, folder_len ? "/" : "",
                   (int)name.len, name.at);
    files->of[files->count] = *file;
    files->of[files->count++].path = path;
    return TV_OK;
}

/* One folder of the device while its entries come. */
struct listing {
    struct tv_device_files *files;
    const char *folder;
    const char *within; /* the package that names have; NULL: any */
};

static bool is_of_package(char sign)
{
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
           (sign >= '0' && sign <= '9') || sign == '_';
}

/* Whether a name has a package as a whole: that of another app may have it as a part, as
 * com.example.app is in com.example.app2, com.example.app.debug and org.com.example.app. */
static bool names_package(struct tv_str name, struct tv_str package)
{
    for (;;) {
        const size_t at = tv_str_find(name, package, TV_CASE_EXACT);
        if (at == SIZE_MAX)
            return false;
        const struct tv_str rest = {name.at + at + package.len, name.len - at - package.len};
        const bool begins = at == 0 || (!is_of_package(name.at[at - 1]) && name.at[at - 1] != '.');
        const bool goes_on =
            rest.len && (is_of_package(rest.at[0]) ||
                         (rest.at[0] == '.' && rest.len > 1 && is_of_package(rest.at[1])));
        if (begins && (!goes_on || tv_str_equal(rest, TV_STR(".trace"))))
            return true;
        name = (struct tv_str){name.at + at + 1, name.len - at - 1};
    }
}

/* Only plain files that end in ".trace"; a name with a slash in it would lead out of its folder. */
static void take_entry(void *ctx, struct tv_str name, const struct tv_adb_stat *stat)
{
    struct listing *listing = ctx;
    const struct tv_device_file file = {.len = stat->len, .changed_s = stat->changed_s};
    bool is_plain = (stat->mode & 0170000u) == 0100000u;
    bool is_meant = !listing->within || names_package(name, tv_str_from(listing->within));
    if (listing->files->code == TV_OK && is_plain && is_meant && name.len < TV_PATH_CAP / 2 &&
        tv_str_ends_with(name, TV_STR(".trace")) && !memchr(name.at, '/', name.len))
        listing->files->code = add(listing->files, listing->folder, name, &file, NULL);
}

static enum tv_code list(struct tv_device *device, struct tv_device_files *files,
                         const char *folder, const char *within, struct tv_error *err)
{
    struct listing listing = {.files = files, .folder = folder, .within = within};
    TV_TRY(tv_adb_list(&device->adb, &device->target, folder, take_entry, &listing, err));
    return files->code == TV_OK ? TV_OK : tv_fail_memory(err, 0);
}

/* A line of stat: "5331 1700000000 files/a.trace". */
static enum tv_code take_line(struct tv_device_files *files, const char *package,
                              struct tv_str line, struct tv_error *err)
{
    struct tv_str size, changed;
    struct tv_device_file file = {.owner = package};
    uint64_t changed_s;
    if (line.len && line.at[line.len - 1] == '\r')
        line.len--;
    if (!tv_str_split(&line, ' ', &size) || !tv_str_split(&line, ' ', &changed) ||
        !tv_str_to_u64(size, 10, &file.len) || !tv_str_to_u64(changed, 10, &changed_s) ||
        changed_s > INT64_MAX || !tv_str_ends_with(line, TV_STR(".trace")))
        return TV_OK; /* a message: there are none, or the app is not debuggable */
    file.changed_s = (int64_t)changed_s;
    return add(files, "", line, &file, err);
}

/* Lists the files in the app's own folder, by the app's rights: those of debuggable apps only.
 * Messages among the lines are passed over. */
static enum tv_code list_private(struct tv_device *device, struct tv_device_files *files,
                                 const char *package, struct tv_error *err)
{
    struct tv_buffer command, answer;
    int status;
    if (device->sdk < SDK_RAW)
        return TV_OK;
    tv_buffer_init(&command, device->cli->alloc);
    tv_buffer_init(&answer, device->cli->alloc);
    enum tv_code code = tv_buffer_append(&command, "run-as ", 7, err);
    if (code == TV_OK)
        code = tv_adb_quote(&command, tv_str_from(package), err);
    if (code == TV_OK) {
        static const char rest[] =
            " sh -c 'stat -c \"%s %Y %n\" files/*.trace cache/*.trace' 2>/dev/null";
        code = tv_buffer_append(&command, rest, sizeof(rest) - 1, err);
    }
    if (code == TV_OK)
        code = tv_device_ask(device, &command, &answer, &status, err);
    struct tv_str text = tv_buffer_view(&answer), line;
    while (code == TV_OK && tv_str_split(&text, '\n', &line))
        code = take_line(files, package, line, err);
    tv_buffer_release(&answer);
    tv_buffer_release(&command);
    return code;
}

static int newest_first(const void *left, const void *right)
{
    const struct tv_device_file *a = left, *b = right;
    if (a->changed_s != b->changed_s)
        return a->changed_s < b->changed_s ? 1 : -1;
    return strcmp(a->path, b->path);
}

/* Four places, of which each may be missing or closed: what an app may write differs between
 * versions of Android. All processes of an app write into its folders. The newest file comes first,
 * since that is the one that is meant. */
enum tv_code tv_device_find_traces(struct tv_device *device, const char *process,
                                   struct tv_device_files *files, struct tv_error *err)
{
    static const char *const own[] = {"files", "cache"};
    char folder[TV_PATH_CAP];
    const char *package = NULL;
    struct tv_str kept;
    if (process) {
        TV_TRY(tv_arena_keep(&files->texts, (struct tv_str){process, strcspn(process, ":")}, &kept,
                             err));
        package = kept.at;
    }
    TV_TRY(list(device, files, TV_DEVICE_FOLDER, package, err));
    TV_TRY(list(device, files, EXTERNAL, package, err));
    for (size_t i = 0; package && i < TV_COUNT_OF(own); i++) {
        (void)snprintf(folder, sizeof(folder), EXTERNAL "/Android/data/%s/%s", package, own[i]);
        TV_TRY(list(device, files, folder, NULL, err));
    }
    if (package)
        TV_TRY(list_private(device, files, package, err));
    if (files->count)
        qsort(files->of, files->count, sizeof(*files->of), newest_first);
    return TV_OK;
}

/* Writes what `run-as PACKAGE cat FILE` says; the whole comes or nothing does, since the file is a
 * draft until the end. */
static enum tv_code take_private(struct tv_device *device, const struct tv_device_file *file,
                                 struct tv_device_pull *pull, struct tv_error *err)
{
    struct tv_buffer command;
    struct tv_output_file output;
    struct tv_adb_shell shell = {.status = 0};
    tv_buffer_init(&command, device->cli->alloc);
    enum tv_code code = tv_buffer_append(&command, "run-as ", 7, err);
    if (code == TV_OK)
        code = tv_adb_quote(&command, tv_str_from(file->owner), err);
    if (code == TV_OK)
        code = tv_buffer_append(&command, " cat ", 5, err);
    if (code == TV_OK)
        code = tv_adb_quote(&command, tv_str_from(file->path), err);
    if (code == TV_OK)
        code = tv_buffer_append(&command, "", 1, err);
    if (code == TV_OK)
        code = tv_output_open(&output, device->cli, pull->to, TV_OUTPUT_TRACE, err);
    if (code == TV_OK) {
        shell.command = (const char *)command.bytes;
        shell.out = tv_output_sink(&output);
        code = tv_adb_run(&device->adb, &device->target, &shell, err);
        if (code == TV_OK && shell.status != 0)
            code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be read as %s", file->path,
                           file->owner);
        code = tv_output_close(&output, code, err);
    }
    tv_buffer_release(&command);
    if (code == TV_OK)
        tv_device_glance(device->cli, pull->to, &pull->trace);
    return code;
}

/* Reads the file from the beginning again while the app writes it, since `cat` cannot go on in the
 * middle. */
static enum tv_code take_growing_private(struct tv_device *device,
                                         const struct tv_device_file *file,
                                         struct tv_device_pull *pull, struct tv_error *err)
{
    unsigned tries = pull->is_being_written ? MOST_TRIES : 1;
    for (;;) {
        TV_TRY(take_private(device, file, pull, err));
        if (pull->trace.is_whole || --tries == 0)
            return TV_OK;
        if (tv_stop_request_wait(pull->stop, PAUSE_MS) == TV_STOP_SIGNAL)
            return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    }
}

/* A file in an app's own folder is readable only as that app (run-as), so it is copied out in
 * another way. */
enum tv_code tv_device_take_file(struct tv_device *device, const struct tv_device_file *file,
                                 struct tv_device_pull *pull, struct tv_error *err)
{
    pull->from = file->path;
    if (!file->owner)
        return tv_device_take(device, pull, err);
    const int cancel_fd = device->adb.cancel_fd;
    device->adb.cancel_fd = pull->stop->fd;
    enum tv_code code = take_growing_private(device, file, pull, err);
    device->adb.cancel_fd = cancel_fd;
    return code;
}
