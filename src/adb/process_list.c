/*
 * The processes of a device, read from the device's answers; see adb/process_list.h.
 *
 * Three sources, all of them the device's words and possibly garbage: the list of jdwp (numbers
 * only), the newer list of apps (a protobuf message), and the table of `ps`, which has names, users
 * and how long a process has run. The first two say which processes can be recorded, `ps` completes
 * them.
 *
 * Each reader first copies the text into the list, which its processes point into, and then reads
 * that copy.
 */
#include "adb/process_list.h"

#include <string.h>

#include "base/bytes/cursor.h"
#include "base/bytes/protobuf.h"
#include "base/memory/map.h"
#include "base/memory/sort.h"

/* Fields of AppProcesses and of its ProcessEntry. */
#define FIELD_PROCESS 1u
#define FIELD_PID 1u
#define FIELD_DEBUGGABLE 2u
#define FIELD_PROFILEABLE 3u
#define FIELD_USER 5u
#define FIELD_NAME 6u
#define FIELD_PACKAGE 7u

/* Linux has no larger process numbers; a larger one is garbage. */
#define MOST_PID (UINT64_C(1) << 22)
#define MOST_COLUMNS 32u /* before the name; a table of ps has a dozen */
#define MOST_USER 999u   /* Android numbers users up to there */

void tv_adb_processes_init(struct tv_adb_processes *processes, const struct tv_alloc *alloc)
{
    *processes = (struct tv_adb_processes){.of = NULL};
    tv_buffer_init(&processes->text, alloc);
    tv_buffer_init(&processes->table, alloc);
}

void tv_adb_processes_release(struct tv_adb_processes *processes)
{
    tv_alloc_release(processes->text.alloc, &processes->of, processes->cap, sizeof(*processes->of));
    processes->count = processes->cap = 0;
    tv_buffer_release(&processes->text);
    tv_buffer_release(&processes->table);
}

static enum tv_code begin(struct tv_str text, struct tv_adb_processes *processes,
                          struct tv_error *err)
{
    processes->count = 0;
    processes->text.len = 0;
    return tv_buffer_append(&processes->text, text.at, text.len, err);
}

/* The number is given to `am` and to `ps` later, so one that no kernel hands out is refused where
 * it came in. */
static enum tv_code add(struct tv_adb_processes *processes, const struct tv_adb_process *process,
                        struct tv_error *err)
{
    if (process->pid == 0 || process->pid > MOST_PID)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                       "the device lists a process of number %llu",
                       (unsigned long long)process->pid);
    TV_TRY(tv_alloc_grow(processes->text.alloc, &processes->of, &processes->cap,
                         processes->count + 1, sizeof(*processes->of), err));
    processes->of[processes->count++] = *process;
    return TV_OK;
}

/* Only processes that can be debugged have a jdwp connection, and those can be profiled as well;
 * whether others can is unknown in this list. */
enum tv_code tv_adb_read_jdwp(struct tv_str text, struct tv_adb_processes *processes,
                              struct tv_error *err)
{
    struct tv_str line;
    TV_TRY(begin(text, processes, err));
    processes->has_profileable = false;
    struct tv_str rest = tv_buffer_view(&processes->text);
    while (tv_str_split(&rest, '\n', &line)) {
        struct tv_adb_process process = {.is_debuggable = true, .is_profileable = true};
        line = tv_str_trim(line);
        if (!line.len)
            continue;
        if (!tv_str_to_u64(line, 10, &process.pid))
            return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                           "the device lists \"%.*s\" where the number of a process belongs",
                           tv_str_shown_len(line), line.at);
        TV_TRY(add(processes, &process, err));
    }
    return TV_OK;
}

/* Reads one process. False: the entry is cut. */
static bool read_entry(struct tv_cursor entry, struct tv_adb_process *process)
{
    struct tv_field field;
    while (tv_field_take(&entry, &field)) {
        if (field.is_cut)
            return false;
        if (field.number == FIELD_PID)
            process->pid = field.value;
        if (field.number == FIELD_DEBUGGABLE)
            process->is_debuggable = field.value != 0;
        if (field.number == FIELD_PROFILEABLE)
            process->is_profileable = field.value != 0;
        if (field.number == FIELD_USER && field.value <= MOST_USER) {
            process->user = field.value;
            process->has_user = true;
        }
        if (field.number == FIELD_NAME && field.is_bytes)
            process->name = tv_field_text(&entry, &field);
        if (field.number == FIELD_PACKAGE && field.is_bytes && !process->package.len)
            process->package = tv_field_text(&entry, &field);
    }
    process->is_profileable |= process->is_debuggable;
    return tv_cursor_left(&entry) == 0;
}

/* Unknown fields are passed over, since newer devices add some. A message that ends inside a field
 * is refused: a list that lacks its end would look like processes that ended. */
enum tv_code tv_adb_read_apps(struct tv_str message, struct tv_adb_processes *processes,
                              struct tv_error *err)
{
    struct tv_field field;
    TV_TRY(begin(message, processes, err));
    processes->has_profileable = true;
    struct tv_cursor cursor = {.bytes = processes->text.bytes, .len = processes->text.len};
    while (tv_field_take(&cursor, &field)) {
        struct tv_adb_process process = {.pid = 0};
        if (field.number != FIELD_PROCESS)
            continue;
        if (!field.is_bytes || field.is_cut ||
            !read_entry(tv_field_message(&cursor, &field), &process))
            return tv_fail(err, TV_ERR_FORMAT, field.pos,
                           "the device's list of processes is cut or no such list");
        TV_TRY(add(processes, &process, err));
    }
    if (tv_cursor_left(&cursor))
        return tv_fail(err, TV_ERR_FORMAT, cursor.pos,
                       "the device's list of processes is cut or no such list");
    return TV_OK;
}

/* The table of `ps` */

struct columns {
    size_t pid, user, elapsed, name; /* counted from 0; SIZE_MAX: there is none */
};

/* Columns are found by their names, since old versions of Android have others and in another order.
 */
static struct columns read_heading(struct tv_str line)
{
    struct columns columns = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    struct tv_str word;
    for (size_t i = 0; i < MOST_COLUMNS && (word = tv_str_take_word(&line)).len; i++) {
        if (tv_str_equal(word, TV_STR("PID")))
            columns.pid = i;
        if (tv_str_equal(word, TV_STR("USER")))
            columns.user = i;
        if (tv_str_equal(word, TV_STR("ELAPSED")) || tv_str_equal(word, TV_STR("ETIME")))
            columns.elapsed = i;
        if (tv_str_equal(word, TV_STR("NAME")))
            columns.name = i;
    }
    return columns;
}

/* [[days-]hours:]minutes:seconds */
static bool read_elapsed(struct tv_str text, uint64_t *seconds)
{
    static const unsigned most_parts = 3;
    struct tv_str part, days = {text.at, 0};
    uint64_t value, day_count = 0, sum = 0;
    unsigned count = 0;
    size_t dash = tv_str_find(text, TV_STR("-"), TV_CASE_EXACT);
    if (dash != SIZE_MAX) {
        days.len = dash;
        text = (struct tv_str){text.at + dash + 1, text.len - dash - 1};
        if (!tv_str_to_u64(days, 10, &day_count) || day_count > UINT32_MAX)
            return false;
    }
    while (tv_str_split(&text, ':', &part)) {
        if (++count > most_parts || !tv_str_to_u64(part, 10, &value) || value > UINT32_MAX)
            return false;
        sum = sum * 60 + value;
    }
    *seconds = sum + day_count * 24 * 60 * 60;
    return count > 0;
}

/* "u10_a123" belongs to user 10; users of the system itself, such as "system", belong to user 0. */
static uint64_t user_of(struct tv_str unix_user)
{
    size_t digits = 0;
    uint64_t user;
    if (!tv_str_starts_with(unix_user, TV_STR("u")))
        return 0;
    while (1 + digits < unix_user.len && unix_user.at[1 + digits] >= '0' &&
           unix_user.at[1 + digits] <= '9')
        digits++;
    const bool is_of_user = 1 + digits < unix_user.len && unix_user.at[1 + digits] == '_';
    return is_of_user && tv_str_to_u64((struct tv_str){unix_user.at + 1, digits}, 10, &user) &&
                   user <= MOST_USER
               ? user
               : 0;
}

/* The rest of a line. In Android 4 to 7 a letter for the state, which has no heading, stands before
 * the name. */
static struct tv_str rest_as_name(struct tv_str rest)
{
    rest = tv_str_trim(rest);
    if (rest.len > 2 && rest.at[1] == ' ' && rest.at[0] >= 'A' && rest.at[0] <= 'Z')
        rest = tv_str_trim((struct tv_str){rest.at + 2, rest.len - 2});
    return rest;
}

struct row {
    uint64_t pid;
    struct tv_str user, elapsed, name;
};

/* False: the row is not one of a process. */
static bool read_row(const struct columns *columns, struct tv_str line, struct row *row)
{
    struct tv_str pid = {NULL, 0};
    *row = (struct row){.pid = 0};
    for (size_t i = 0; i < columns->name; i++) {
        struct tv_str word = tv_str_take_word(&line);
        if (i == columns->pid)
            pid = word;
        if (i == columns->user)
            row->user = word;
        if (i == columns->elapsed)
            row->elapsed = word;
    }
    row->name = rest_as_name(line);
    return row->name.len && tv_str_to_u64(pid, 10, &row->pid);
}

/* What the first list said stays; `ps` only fills in what is missing. */
static void complete(struct tv_adb_process *process, const struct row *row)
{
    if (!process->name.len)
        process->name = row->name;
    process->unix_user = row->user;
    if (!process->has_user && row->user.len) {
        process->user = user_of(row->user);
        process->has_user = true;
    }
    process->has_uptime = read_elapsed(row->elapsed, &process->uptime_s);
}

/* Drops processes that `ps` did not list: they have ended since the first list. */
static void drop_the_ended(struct tv_adb_processes *processes)
{
    size_t kept = 0;
    for (size_t i = 0; i < processes->count; i++) {
        if (processes->of[i].unix_user.at)
            processes->of[kept++] = processes->of[i];
    }
    processes->count = kept;
}

/* Processes come and go while the device is asked twice. Those that `ps` does not show have ended
 * (drop_the_ended). */
static enum tv_code complete_all(struct tv_str text, struct tv_map *by_pid,
                                 struct tv_adb_processes *processes, struct tv_error *err)
{
    struct tv_str line;
    struct row row;
    for (size_t i = 0; i < processes->count; i++)
        TV_TRY(tv_map_put(by_pid, processes->of[i].pid, (uint32_t)i, err));
    if (!tv_str_split(&text, '\n', &line))
        return TV_OK;
    const struct columns columns = read_heading(line);
    /* Without these columns the answer is not that of ps, and nothing is concluded from it. */
    if (columns.pid == SIZE_MAX || columns.name == SIZE_MAX || columns.user == SIZE_MAX)
        return TV_OK;
    while (tv_str_split(&text, '\n', &line)) {
        uint32_t i = read_row(&columns, line, &row) ? tv_map_get(by_pid, row.pid) : TV_MAP_NONE;
        if (i != TV_MAP_NONE)
            complete(&processes->of[i], &row);
    }
    drop_the_ended(processes);
    return TV_OK;
}

enum tv_code tv_adb_read_ps(struct tv_str text, struct tv_adb_processes *processes,
                            struct tv_error *err)
{
    struct tv_map by_pid;
    processes->table.len = 0;
    TV_TRY(tv_buffer_append(&processes->table, text.at, text.len, err));
    tv_map_init(&by_pid, processes->text.alloc);
    enum tv_code code = complete_all(tv_buffer_view(&processes->table), &by_pid, processes, err);
    tv_map_release(&by_pid);
    return code;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_adb_process *of = ctx;
    int by_name = tv_str_compare(of[a].name, of[b].name);
    if (by_name)
        return by_name;
    return of[a].pid < of[b].pid ? -1 : of[a].pid > of[b].pid;
}

/* A process that names no package has one by the rule of Android: the part of its name before a
 * colon. The order is the order in which they are shown. */
enum tv_code tv_adb_finish_processes(struct tv_adb_processes *processes, struct tv_error *err)
{
    for (size_t i = 0; i < processes->count; i++) {
        struct tv_adb_process *process = &processes->of[i];
        struct tv_str rest = process->name;
        if (!process->name.len)
            process->name = process->package;
        if (!process->package.len)
            (void)tv_str_split(&rest, ':', &process->package);
    }
    return tv_sort_rows(processes->text.alloc, processes->of, processes->count,
                        sizeof(*processes->of), compare, processes->of, err);
}
