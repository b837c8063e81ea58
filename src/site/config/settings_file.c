/*
 * Lines of a configuration file; see site/config/settings_file.h.
 *
 * libinih splits the lines into names and values. By itself it would cut a long line into two, go
 * on after errors, and take a line that begins with a blank as more of the value above, each
 * without a word. So next_line, which gives it the lines, looks at each first, and gives no more
 * once something is wrong.
 */
#include "site/config/settings_file.h"

#include <ini.h>
#include <stdbool.h>
#include <string.h>

struct reading {
    struct tv_str rest; /* of the content */
    const struct tv_settings_reader *reader;
    unsigned line; /* the one that was handed out last, from 1 */
    enum tv_code code;
    struct tv_error *err;
};

/* Whether the line has nothing but blanks or a comment. */
static bool is_empty(struct tv_str line)
{
    line = tv_str_trim(line);
    return !line.len || line.at[0] == '#' || line.at[0] == ';';
}

/* Checked before libinih sees the line: it would cut long ones, and join lines that begin with a
 * blank. */
static enum tv_code check_line(struct tv_str line, size_t most, struct tv_error *err)
{
    if (line.len > most)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "longer than %zu bytes", most);
    if (line.len && memchr(line.at, '\0', line.len))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "has a byte 0: is this a text file?");
    if (is_empty(line))
        return TV_OK;
    if (tv_is_blank(line.at[0]))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "begins with a blank: a value ends with its line");
    if (line.at[0] == '[')
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "'%.*s': there are no sections: name = value alone", tv_str_shown_len(line),
                       line.at);
    return TV_OK;
}

/* Gives libinih the next line as fgets does, after it was checked. */
static char *next_line(char *room, int cap, void *stream)
{
    struct reading *reading = stream;
    struct tv_str line;
    if (reading->code != TV_OK || cap < 3 || !reading->rest.len)
        return NULL;
    if (!tv_str_split(&reading->rest, '\n', &line))
        return NULL;
    reading->line++;
    reading->code = check_line(line, (size_t)cap - 2, reading->err);
    if (reading->code != TV_OK)
        return NULL;
    if (line.len)
        memcpy(room, line.at, line.len);
    room[line.len] = '\n';
    room[line.len + 1] = '\0';
    return room;
}

static int take(void *user, const char *section, const char *name, const char *value)
{
    struct reading *reading = user;
    (void)section;
    if (reading->code == TV_OK)
        reading->code = reading->reader->take(reading->reader->ctx, tv_str_from(name),
                                              tv_str_from(value), reading->line, reading->err);
    return reading->code == TV_OK;
}

/* The smallest number of a bad line is told, whichever of both readers found it. */
enum tv_code tv_settings_read_lines(struct tv_str content, const struct tv_settings_reader *reader,
                                    unsigned *line, struct tv_error *err)
{
    struct reading reading = {.rest = content, .reader = reader, .code = TV_OK, .err = err};
    int bad_line = ini_parse_stream(next_line, &reading, take, &reading);
    *line = reading.line;
    /* libinih goes on after a line that is no setting, so that line may stand before the one that
     * ended the reading. */
    if (bad_line > 0 && (reading.code == TV_OK || (unsigned)bad_line < reading.line)) {
        *line = (unsigned)bad_line;
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "no setting: must be name = value");
    }
    return bad_line < 0 ? tv_fail_memory(err, 0) : reading.code;
}
