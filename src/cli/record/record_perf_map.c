/*
 * Maps for perf; see cli/record/record_perf_map.h. Code that was moved or made anew is written once
 * more, so of pieces that begin at the same address the last line counts. A name is parted where it
 * is known how its maker writes it: "py::NAME:FILE" of Python, "KIND:*NAME FILE:LINE" of V8, with
 * ":COLUMN" behind that of newer ones; any other is a method of class JIT.
 */
#include "cli/record/record_perf_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/record_names.h"

#define TEXT_MOST ((size_t)256 << 20)
#define PYTHON "py::"

static struct tv_str from(struct tv_str text, size_t at)
{
    return (struct tv_str){text.at + at, text.len - at};
}

/* Where a byte stands for the last time; SIZE_MAX: nowhere. */
static size_t last_of(struct tv_str text, char byte)
{
    for (size_t i = text.len; i > 0; i--) {
        if (text.at[i - 1] == byte)
            return i - 1;
    }
    return SIZE_MAX;
}

static bool take_number(struct tv_str *line, uint64_t *number)
{
    struct tv_str word;
    return tv_str_split(line, ' ', &word) && tv_str_to_u64(word, 16, number);
}

static int by_start(const void *a, const void *b)
{
    const struct tv_perf_code *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->name.at < right->name.at ? -1 : left->name.at > right->name.at;
}

enum tv_code tv_perf_map_parse(struct tv_perf_map *map, struct tv_str text, struct tv_error *err)
{
    struct tv_str line;
    while (tv_str_split(&text, '\n', &line)) {
        struct tv_perf_code code;
        if (!take_number(&line, &code.start) || !take_number(&line, &code.len) || !line.len)
            continue;
        code.name = line;
        TV_TRY(tv_alloc_grow(map->alloc, &map->codes, &map->cap, map->count + 1,
                             sizeof(*map->codes), err));
        map->codes[map->count++] = code;
    }
    if (map->count) /* without any, there is no memory to sort */
        qsort(map->codes, map->count, sizeof(*map->codes), by_start);
    return TV_OK;
}

/* Anybody may have put a file into /tmp: that of another user tells nothing. */
static bool is_own(int fd, size_t *len)
{
    struct stat file;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || file.st_uid != geteuid() ||
        file.st_size <= 0 || (uint64_t)file.st_size > TEXT_MOST)
        return false;
    *len = (size_t)file.st_size;
    return true;
}

enum tv_code tv_perf_map_read(struct tv_perf_map *map, const struct tv_alloc *alloc, pid_t process,
                              struct tv_error *err)
{
    char path[64];
    size_t len = 0;
    *map = (struct tv_perf_map){.alloc = alloc};
    (void)snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)process);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    enum tv_code code = TV_OK;
    if (fd >= 0 && is_own(fd, &len))
        code = tv_alloc_grow(alloc, &map->text, &map->text_cap, len, 1, err);
    while (code == TV_OK && map->text_len < len) {
        const ssize_t got = read(fd, map->text + map->text_len, len - map->text_len);
        if (got <= 0)
            break;
        map->text_len += (size_t)got;
    }
    if (fd >= 0)
        (void)close(fd);
    return code == TV_OK && map->text_len
               ? tv_perf_map_parse(map, (struct tv_str){map->text, map->text_len}, err)
               : code;
}

void tv_perf_map_release(struct tv_perf_map *map)
{
    tv_alloc_release(map->alloc, &map->codes, map->cap, sizeof(*map->codes));
    tv_alloc_release(map->alloc, &map->text, map->text_cap, 1);
}

/* A source file without its ending serves as the class, as it does for other functions. */
static void take_file(struct tv_trace_method *method, struct tv_str path)
{
    method->file = tv_str_file_name(path);
    method->class_name = method->file;
    const size_t point = last_of(method->file, '.');
    if (point != SIZE_MAX && point)
        method->class_name.len = point;
}

/* "py::main:/home/app.py" */
static bool part_python(struct tv_str name, struct tv_trace_method *method)
{
    const size_t colon = last_of(name, ':');
    if (!tv_str_starts_with(name, TV_STR(PYTHON)) || colon < sizeof(PYTHON) ||
        colon + 1 == name.len)
        return false;
    take_file(method, from(name, colon + 1));
    method->name = (struct tv_str){name.at + sizeof(PYTHON) - 1, colon + 1 - sizeof(PYTHON)};
    return true;
}

/* Takes ":12" from the end of a text. */
static bool take_last_number(struct tv_str *text, uint64_t *number)
{
    const size_t colon = last_of(*text, ':');
    if (colon == SIZE_MAX || !tv_str_to_u64(from(*text, colon + 1), 10, number))
        return false;
    text->len = colon;
    return true;
}

/* "JS:*main /home/app.js:1:13", without the column in Node.js 18: behind the first colon a sign
 * tells how well the code is compiled. */
static bool part_v8(struct tv_str name, struct tv_trace_method *method)
{
    uint64_t line, before;
    const size_t colon = tv_str_find(name, TV_STR(":"), TV_CASE_EXACT);
    const size_t space = last_of(name, ' ');
    if (colon == SIZE_MAX || space == SIZE_MAX || space < colon)
        return false;
    struct tv_str path = from(name, space + 1);
    struct tv_str function = {name.at + colon + 1, space - colon - 1};
    if (!take_last_number(&path, &line))
        return false;
    if (take_last_number(&path, &before))
        line = before; /* the last was the column */
    if (!path.len)
        return false;
    if (function.len && memchr("~^*+", function.at[0], 4))
        function = from(function, 1);
    take_file(method, path);
    method->name = function.len ? function : TV_STR("(anonymous)");
    method->line = line <= INT32_MAX ? (int32_t)line : 0;
    return true;
}

bool tv_perf_map_find(const struct tv_perf_map *map, uint64_t address,
                      struct tv_trace_method *method)
{
    size_t low = 0, high = map->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (map->codes[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address - map->codes[low - 1].start >= map->codes[low - 1].len)
        return false;
    const struct tv_str name = map->codes[low - 1].name;
    method->signature = TV_STR("()");
    if (part_python(name, method) || part_v8(name, method))
        return true;
    method->class_name = TV_STR("JIT");
    method->name = name;
    return true;
}
