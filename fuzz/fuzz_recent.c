/*
 * The list of recent files: whatever its file holds, the answer is a JSON array of files that are
 * there, each of which its id finds and nothing else does; and a file that is added comes first,
 * once, in a list that stays short.
 *
 * The input is the content of the list's file, and its first line is the id in a request, too.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "plain_json.h"
#include "server/recent.h"
#include "user_folder.h"

/* What reading a file of unknown length begins with, for two files at a time. */
#define FILE_ROOM ((size_t)4 << 20)
#define LEVELS 2u
#define NOW_S 1700000000u

static const char id_key[] = "{\"id\":\"";

/* The id of the next entry in the answer; false at its end. A quotation mark in a name is escaped,
 * so a name cannot pretend to be an id. */
static bool next_id(struct tv_str *answer, struct tv_str *id)
{
    size_t at = tv_str_find(*answer, tv_str_from(id_key), TV_CASE_EXACT);
    if (at == SIZE_MAX)
        return false;
    answer->at += at + sizeof(id_key) - 1;
    answer->len -= at + sizeof(id_key) - 1;
    *id = (struct tv_str){answer->at, tv_str_find(*answer, TV_STR("\""), TV_CASE_EXACT)};
    FUZZ_CHECK(id->len < answer->len);
    return true;
}

static void check_found(const char *list, const struct tv_alloc *alloc, struct tv_str id)
{
    char path[TV_PATH_CAP];
    struct stat status;
    FUZZ_CHECK(tv_recent_find(list, alloc, id, path, NULL) == TV_OK);
    FUZZ_CHECK(path[0] == '/' && stat(path, &status) == 0 && S_ISREG(status.st_mode));
}

/* Writes the answer; the ids of its entries, each of which finds a file, are counted. */
static unsigned look(const char *list, const struct tv_alloc *alloc, struct tv_buffer *answer)
{
    struct tv_json json;
    struct tv_str id;
    unsigned count = 0;
    tv_buffer_init(answer, alloc);
    tv_json_init(&json, tv_buffer_sink(answer));
    tv_recent_write(list, alloc, &json);
    FUZZ_CHECK(tv_json_finish(&json, NULL) == TV_OK);
    struct tv_str rest = tv_buffer_view(answer);
    FUZZ_CHECK(fuzz_is_json_array(rest, LEVELS));
    for (; next_id(&rest, &id); count++)
        check_found(list, alloc, id);
    FUZZ_CHECK(count <= TV_RECENT_MOST);
    return count;
}

/* An id that is no entry's finds nothing. */
static void ask_for(const char *list, const struct tv_alloc *alloc, struct tv_str id)
{
    char path[TV_PATH_CAP] = "";
    struct tv_error err = {.code = TV_OK};
    struct stat status;
    enum tv_code code = tv_recent_find(list, alloc, id, path, &err);
    if (code == TV_OK)
        FUZZ_CHECK(path[0] == '/' && stat(path, &status) == 0 && S_ISREG(status.st_mode));
    else
        FUZZ_CHECK(err.text[0] && !strchr(err.text, '\n'));
}

/* The lines "SECONDS PATH" that have this path. */
static unsigned count_lines_of(struct tv_str text, struct tv_str path)
{
    struct tv_str line;
    struct tv_str seconds;
    unsigned count = 0;
    while (tv_str_split(&text, '\n', &line))
        count += tv_str_split(&line, ' ', &seconds) && tv_str_equal(line, path);
    return count;
}

/* Adds the program itself, which is a file wherever the fuzzer runs. */
static void add(const char *list, const struct tv_alloc *alloc)
{
    struct tv_buffer once;
    struct tv_buffer twice;
    char path[TV_PATH_CAP];
    char line[TV_PATH_CAP + 32];
    FUZZ_CHECK(tv_path_of_file(path, "/proc/self/exe"));
    int line_len = snprintf(line, sizeof(line), "%u %s\n", NOW_S, path);
    tv_buffer_init(&once, alloc);
    tv_buffer_init(&twice, alloc);
    FUZZ_CHECK(tv_recent_add(list, alloc, "/proc/self/exe", NOW_S, NULL) == TV_OK);
    FUZZ_CHECK(tv_file_read_small(list, SIZE_MAX, &once, NULL) == TV_OK);
    FUZZ_CHECK(tv_recent_add(list, alloc, path, NOW_S, NULL) == TV_OK);
    FUZZ_CHECK(tv_file_read_small(list, SIZE_MAX, &twice, NULL) == TV_OK);
    struct tv_str text = tv_buffer_view(&once);
    FUZZ_CHECK(tv_str_equal(text, tv_buffer_view(&twice)));
    FUZZ_CHECK(tv_str_starts_with(text, (struct tv_str){line, (size_t)line_len}));
    FUZZ_CHECK(count_lines_of(text, tv_str_from(path)) == 1);
    tv_buffer_release(&once);
    tv_buffer_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char list[TV_PATH_CAP];
    struct fuzz_memory memory;
    struct tv_buffer answer;
    struct tv_str rest = {(const char *)bytes, len};
    struct tv_str line = {NULL, 0};
    fuzz_memory_init(&memory, len);
    memory.most += FILE_ROOM;
    fuzz_kept_path(list, "recent");
    fuzz_kept_write(list, bytes, len);
    (void)look(list, &memory.alloc, &answer);
    tv_buffer_release(&answer);
    if (len && tv_str_split(&rest, '\n', &line))
        ask_for(list, &memory.alloc, line);
    add(list, &memory.alloc);
    FUZZ_CHECK(look(list, &memory.alloc, &answer) > 0);
    tv_buffer_release(&answer);
    fuzz_memory_check_released(&memory);
    return 0;
}
