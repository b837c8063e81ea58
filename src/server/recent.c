/*
 * The recently opened files; see server/recent.h.
 *
 * The list is a small text file, "SECONDS PATH" on each line, the latest first. It is read anew
 * each time, since other viewers write it too; it is written under a lock file and replaced in one
 * step, so that a crash leaves the old list or the new one. The page names an entry by the hash of
 * its path, so that it cannot ask for a path of its own choice.
 */
#include "server/recent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory/buffer.h"
#include "os/file/lock.h"

#define LIST_MOST ((size_t)(TV_RECENT_MOST + 1) * (TV_PATH_CAP + 32))

/* One line of the list. */
struct entry {
    struct tv_str path;
    uint64_t opened_s;
};

/* A list that is missing, too long or not readable counts as empty. */
static void read_list(const char *list, const struct tv_alloc *alloc, struct tv_buffer *text)
{
    tv_buffer_init(text, alloc);
    if (!list || tv_file_read_small(list, LIST_MOST, text, NULL) != TV_OK)
        text->len = 0;
}

/* The next line that makes sense; false at the end. */
static bool next_entry(struct tv_str *rest, struct entry *entry)
{
    struct tv_str line;
    while (tv_str_split(rest, '\n', &line)) {
        struct tv_str seconds;
        if (!tv_str_split(&line, ' ', &seconds) || !tv_str_to_u64(seconds, 10, &entry->opened_s))
            continue;
        entry->path = line;
        if (line.len && line.len < TV_PATH_CAP && line.at[0] == '/' &&
            !memchr(line.at, '\0', line.len))
            return true;
    }
    return false;
}

/* Whether there is a regular file at the path; the path ends in NUL afterwards. */
static bool look(struct tv_str path, char out[TV_PATH_CAP], struct stat *status)
{
    (void)snprintf(out, TV_PATH_CAP, "%.*s", (int)path.len, path.at);
    return stat(out, status) == 0 && S_ISREG(status->st_mode);
}

static enum tv_code add_line(struct tv_buffer *text, struct tv_str path, uint64_t opened_s,
                             struct tv_error *err)
{
    char seconds[32];
    int len = snprintf(seconds, sizeof(seconds), "%llu ", (unsigned long long)opened_s);
    TV_TRY(tv_buffer_append(text, seconds, (size_t)len, err));
    TV_TRY(tv_buffer_append(text, path.at, path.len, err));
    return tv_buffer_append(text, "\n", 1, err);
}

/* Writes the list with the path in front, and takes it out where it stood before. */
static enum tv_code rewrite(struct tv_str former, struct tv_str path, uint64_t now_s,
                            struct tv_buffer *text, struct tv_error *err)
{
    struct entry entry;
    size_t count = 1;
    TV_TRY(add_line(text, path, now_s, err));
    while (count < TV_RECENT_MOST && next_entry(&former, &entry)) {
        if (tv_str_equal(entry.path, path))
            continue;
        TV_TRY(add_line(text, entry.path, entry.opened_s, err));
        count++;
    }
    return TV_OK;
}

/* Reads and replaces the list. Called with the list's lock, or an entry of another viewer would be
 * lost. */
static enum tv_code add_locked(const char *list, const struct tv_alloc *alloc, struct tv_str path,
                               uint64_t now_s, struct tv_error *err)
{
    struct tv_buffer former;
    struct tv_buffer text;
    read_list(list, alloc, &former);
    tv_buffer_init(&text, alloc);
    enum tv_code code = rewrite(tv_buffer_view(&former), path, now_s, &text, err);
    if (code == TV_OK)
        code = tv_file_replace(list, tv_buffer_view(&text), err);
    tv_buffer_release(&text);
    tv_buffer_release(&former);
    return code;
}

uint64_t tv_recent_id(const char *name)
{
    char path[TV_PATH_CAP];
    return tv_path_of_file(path, name) ? tv_hash_bytes(path, strlen(path)) : 0;
}

enum tv_code tv_recent_add(const char *list, const struct tv_alloc *alloc, const char *name,
                           uint64_t now_s, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    struct tv_lock lock;
    if (!list || !tv_path_of_file(path, name) || strchr(path, '\n'))
        return TV_OK;
    TV_TRY(tv_lock_take(&lock, list, err));
    enum tv_code code = add_locked(list, alloc, tv_str_from(path), now_s, err);
    tv_lock_drop(&lock);
    return code;
}

/* The length of the folder's part of a path, with its last slash. */
static size_t folder_len(struct tv_str path)
{
    size_t len = path.len;
    while (len && path.at[len - 1] != '/')
        len--;
    return len;
}

/* The folder as people read it: "~" for the user's home. */
static void write_folder(struct tv_json *json, struct tv_str folder)
{
    char shown[TV_PATH_CAP + 2];
    const char *home = getenv("HOME");
    size_t home_len = home ? strlen(home) : 0;
    bool is_own = home_len > 1 && folder.len >= home_len &&
                  memcmp(folder.at, home, home_len) == 0 &&
                  (folder.len == home_len || folder.at[home_len] == '/');
    size_t skip = is_own ? home_len : 0;
    (void)snprintf(shown, sizeof(shown), "%s%.*s", is_own ? "~" : "", (int)(folder.len - skip),
                   folder.at + skip);
    tv_json_key_text(json, "folder", shown);
}

static void write_entry(struct tv_json *json, const struct entry *entry, uint64_t len)
{
    size_t folder = folder_len(entry->path);
    tv_json_open_object(json);
    tv_json_key(json, "id");
    tv_json_hex(json, tv_hash_bytes(entry->path.at, entry->path.len));
    tv_json_key_str(json, "name",
                    (struct tv_str){entry->path.at + folder, entry->path.len - folder});
    write_folder(json, (struct tv_str){entry->path.at, folder > 1 ? folder - 1 : folder});
    tv_json_key_u64(json, "bytes", len);
    tv_json_key_u64(json, "opened_s", entry->opened_s);
    tv_json_close_object(json);
}

/* Files that are gone are left out, but stay in the list: a disk may be mounted again. */
void tv_recent_write(const char *list, const struct tv_alloc *alloc, struct tv_json *json)
{
    char path[TV_PATH_CAP];
    struct tv_buffer text;
    struct entry entry;
    struct stat status;
    read_list(list, alloc, &text);
    struct tv_str rest = tv_buffer_view(&text);
    tv_json_open_array(json);
    for (size_t count = 0; count < TV_RECENT_MOST && next_entry(&rest, &entry);) {
        if (!look(entry.path, path, &status))
            continue;
        write_entry(json, &entry, (uint64_t)status.st_size);
        count++;
    }
    tv_json_close_array(json);
    tv_buffer_release(&text);
}

/* Only a path that is in the list and is a regular file can be found. */
enum tv_code tv_recent_find(const char *list, const struct tv_alloc *alloc, struct tv_str id,
                            char path[TV_PATH_CAP], struct tv_error *err)
{
    struct tv_buffer text;
    struct entry entry;
    struct stat status;
    uint64_t wanted;
    bool is_found = false;
    if (!tv_str_starts_with(id, TV_STR("0x")) ||
        !tv_str_to_u64((struct tv_str){id.at + 2, id.len - 2}, 16, &wanted))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "recent must be an id of the list");
    read_list(list, alloc, &text);
    struct tv_str rest = tv_buffer_view(&text);
    while (!is_found && next_entry(&rest, &entry)) {
        is_found = tv_hash_bytes(entry.path.at, entry.path.len) == wanted &&
                   look(entry.path, path, &status);
    }
    tv_buffer_release(&text);
    return is_found ? TV_OK
                    : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                              "that file is not there any more: choose another");
}
