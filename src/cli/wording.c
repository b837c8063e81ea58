/*
 * Numbers, times and names as people read them; see cli/wording.h. printf with a locale would write
 * them otherwise on another machine, so digits are grouped here.
 *
 * Widths are counted in columns of the terminal, because names of methods may have any characters
 * (C.UTF-8 is set for that, see terminal.c).
 */
#include "cli/wording.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/numbers/shown_number.h"
#include "base/text/utf8.h"
#include "base/units.h"

void tv_text_init(struct tv_text *text, const struct tv_alloc *alloc)
{
    text->code = TV_OK;
    tv_buffer_init(&text->buffer, alloc);
}

void tv_text_release(struct tv_text *text)
{
    tv_buffer_release(&text->buffer);
}

void tv_text_take_code(struct tv_text *text, const struct tv_text *part)
{
    if (text->code == TV_OK)
        text->code = part->code;
}

void tv_text_add_str(struct tv_text *text, struct tv_str str)
{
    if (text->code == TV_OK)
        text->code = tv_buffer_append(&text->buffer, str.at, str.len, NULL);
}

/* What is added here is short by its nature, numbers and words of this program; names go through
 * tv_text_add_name. */
void tv_text_add(struct tv_text *text, const char *format, ...)
{
    char room[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(room, sizeof(room), format, args);
    va_end(args);
    if (len > 0)
        tv_text_add_str(text, (struct tv_str){room, (size_t)len < sizeof(room) ? (size_t)len
                                                                               : sizeof(room) - 1});
}

/* The longest beginning of a name that is shown, which is no part of a character. */
static size_t shown_len(struct tv_str name)
{
    size_t at = 0;
    if (name.len <= TV_NAME_SHOWN)
        return name.len;
    for (size_t next = 0; next <= TV_NAME_SHOWN; (void)tv_utf8_next(name, &next))
        at = next;
    return at;
}

/* Bytes that need no escape go through a room on the stack, since a table has hundreds of thousands
 * of names and most are plain. */
void tv_text_add_name(struct tv_text *text, struct tv_str name)
{
    if (text->code != TV_OK) /* a text that has failed does not pay for what it cannot take */
        return;
    size_t len = shown_len(name);
    char bytes[256]; /* what waits to be added: tables have many long names */
    size_t waiting = 0;
    for (size_t at = 0; at < len;) {
        if (waiting > sizeof(bytes) - TV_UTF8_SHOWN_MOST) {
            tv_text_add_str(text, (struct tv_str){bytes, waiting});
            waiting = 0;
        }
        if (name.at[at] >= ' ' && name.at[at] < 0x7f)
            bytes[waiting++] = name.at[at++];
        else
            waiting += tv_utf8_put_shown(bytes + waiting, tv_utf8_next(name, &at));
    }
    tv_text_add_str(text, (struct tv_str){bytes, waiting});
    if (len < name.len) {
        tv_text_add(text, " (+");
        tv_text_add_count(text, name.len - len);
        tv_text_add(text, " bytes)");
    }
}

void tv_text_add_blanks(struct tv_text *text, size_t count)
{
    static const char blanks[] = "                                                                ";
    for (; count > sizeof(blanks) - 1; count -= sizeof(blanks) - 1)
        tv_text_add_str(text, TV_STR(blanks));
    tv_text_add_str(text, (struct tv_str){blanks, count});
}

void tv_text_add_count(struct tv_text *text, uint64_t count)
{
    char room[TV_STR_COUNT_MOST];
    tv_text_add_str(text, tv_str_of_count(room, count));
}

void tv_text_add_range(struct tv_text *text, uint64_t least, uint64_t most)
{
    tv_text_add_count(text, least);
    if (most != least) {
        tv_text_add(text, "..");
        tv_text_add_count(text, most);
    }
}

void tv_text_add_ms(struct tv_text *text, int64_t time_ns)
{
    char room[TV_SHOWN_MOST];
    tv_text_add_str(text, tv_shown_ms(room, time_ns));
}

void tv_text_add_mean_ms(struct tv_text *text, int64_t sum_ns, uint64_t count)
{
    char room[TV_SHOWN_MOST];
    tv_text_add_str(text, tv_shown_mean_ms(room, sum_ns, count));
}

/* What the page and the recorder's manual write. */
#define MICROSECONDS "\u00b5s"

/* From here on "%.3f" would print 1000.000 ms: that is the next unit. */
#define ROUNDS_TO_S (TV_NS_PER_S - 500)

/* Three digits behind the point in the largest unit that fits: enough to tell two calls apart, and
 * short enough for a sentence. */
void tv_text_add_time(struct tv_text *text, uint64_t time_ns)
{
    if (time_ns >= ROUNDS_TO_S)
        tv_text_add(text, "%.3f s", (double)time_ns / TV_NS_PER_S);
    else if (time_ns >= TV_NS_PER_MS)
        tv_text_add(text, "%.3f ms", (double)time_ns / TV_NS_PER_MS);
    else if (time_ns < TV_NS_PER_US)
        tv_text_add(text, "%u ns", (unsigned)time_ns);
    else if (time_ns % TV_NS_PER_US)
        tv_text_add(text, "%.3f " MICROSECONDS, (double)time_ns / TV_NS_PER_US);
    else
        tv_text_add(text, "%u " MICROSECONDS, (unsigned)(time_ns / TV_NS_PER_US));
}

/* From here on a time is told in minutes. */
#define LONG_NS (90 * TV_NS_PER_S)

/* Three digits in the unit of the rounded time, as formatDuration of web/src/base/format.ts. */
void tv_text_add_duration(struct tv_text *text, uint64_t time_ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"s", TV_NS_PER_S}, {"ms", TV_NS_PER_MS}, {MICROSECONDS, TV_NS_PER_US}};
    if (time_ns >= LONG_NS) {
        const uint64_t rounded_s =
            time_ns / TV_NS_PER_S + (time_ns % TV_NS_PER_S >= TV_NS_PER_S / 2);
        tv_text_add(text, "%" PRIu64 " min %" PRIu64 " s", rounded_s / 60, rounded_s % 60);
        return;
    }
    if (time_ns < TV_NS_PER_US) {
        tv_text_add(text, "%u ns", (unsigned)time_ns);
        return;
    }
    size_t unit = 0;
    /* 999.5 of a unit would be told as 1000 of it: that is the next one. */
    while (unit + 1 < TV_COUNT_OF(units) && time_ns < units[unit].ns / 10000 * 9995)
        unit++;
    const uint64_t unit_ns = units[unit].ns;
    const bool has_ten = 1000 * time_ns >= 9995 * unit_ns;
    const bool has_hundred = 100 * time_ns >= 9995 * unit_ns;
    const uint64_t parts = has_hundred ? 1 : has_ten ? 10 : 100;
    const uint64_t rounded = (time_ns * parts + unit_ns / 2) / unit_ns;
    if (has_hundred)
        tv_text_add(text, "%" PRIu64 " %s", rounded, units[unit].name);
    else
        tv_text_add(text, "%" PRIu64 ".%0*" PRIu64 " %s", rounded / parts, has_ten ? 1 : 2,
                    rounded % parts, units[unit].name);
}

/* All digits that matter and no zeros behind them: such a time may be given back to --from and
 * --to, and means the same moment then. */
void tv_text_add_exact_time(struct tv_text *text, uint64_t time_ns)
{
    bool is_long = time_ns >= TV_NS_PER_S;
    uint64_t unit = is_long ? TV_NS_PER_S : TV_NS_PER_MS;
    char places[16];
    if (time_ns < TV_NS_PER_MS) {
        tv_text_add_time(text, time_ns);
        return;
    }
    int len = snprintf(places, sizeof(places), "%0*u", is_long ? 9 : 6, (unsigned)(time_ns % unit));
    while (len > 3 && places[len - 1] == '0')
        len--;
    tv_text_add(text, "%" PRIu64 ".%.*s %s", time_ns / unit, len, places, is_long ? "s" : "ms");
}

/* 999.95 is where "%.1f" would print 1000.0: that is the next unit. */
void tv_text_add_size(struct tv_text *text, uint64_t len)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    double value = (double)len;
    if (len < 1000) {
        tv_text_add(text, "%u bytes", (unsigned)len);
        return;
    }
    size_t unit = 0;
    for (value /= 1000; value >= 999.95 && unit + 1 < TV_COUNT_OF(units); unit++)
        value /= 1000;
    tv_text_add(text, "%.1f %s", value, units[unit]);
}

/* Two units are enough to recognise a process by how long it has run. */
void tv_text_add_uptime(struct tv_text *text, uint64_t uptime_s)
{
    static const uint64_t minute_s = 60, hour_s = 3600, day_s = 86400;
    if (uptime_s >= day_s)
        tv_text_add(text, "%" PRIu64 "d %02" PRIu64 "h", uptime_s / day_s,
                    uptime_s % day_s / hour_s);
    else if (uptime_s >= hour_s)
        tv_text_add(text, "%" PRIu64 "h %02" PRIu64 "m", uptime_s / hour_s,
                    uptime_s % hour_s / minute_s);
    else
        tv_text_add(text, "%" PRIu64 "m %02" PRIu64 "s", uptime_s / minute_s, uptime_s % minute_s);
}

void tv_text_add_percent(struct tv_text *text, int64_t part, uint64_t total)
{
    char room[TV_SHOWN_MOST];
    tv_text_add_str(text, tv_shown_percent(room, part, total));
}

/* Characters that cannot be seen, or that a shell cannot be given as text, make a command that
 * nobody should copy. */
bool tv_text_can_quote(struct tv_str word)
{
    for (size_t at = 0; at < word.len;) {
        uint32_t character = tv_utf8_next(word, &at);
        if (tv_utf8_needs_escape(character) || character == TV_UTF8_REPLACEMENT)
            return false;
    }
    return true;
}

/* Whether a shell takes the word without quotes. */
static bool is_plain(struct tv_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        char c = word.at[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !(c >= '0' && c <= '9') && (!c || !strchr("._-/=:,+@%", c)))
            return false;
    }
    return word.len > 0;
}

/* As a shell reads it: what is in quotes is taken as it is, and a quote itself stands outside of
 * them. */
void tv_text_add_quoted(struct tv_text *text, struct tv_str word)
{
    if (is_plain(word)) {
        tv_text_add_str(text, word);
        return;
    }
    tv_text_add_str(text, TV_STR("'"));
    for (size_t i = 0; i < word.len; i++)
        tv_text_add_str(text,
                        word.at[i] == '\'' ? TV_STR("'\\''") : (struct tv_str){word.at + i, 1});
    tv_text_add_str(text, TV_STR("'"));
}

struct tv_str tv_text_view(const struct tv_text *text)
{
    return tv_buffer_view(&text->buffer);
}

/* The length of the style that the text begins with, ESC [ ... m; 0: it begins with something else.
 * Only styles of our own are in a text, since names are escaped. */
static size_t style_len(struct tv_str text)
{
    if (text.len < 2 || text.at[0] != '\033' || text.at[1] != '[')
        return 0;
    for (size_t i = 2; i < text.len; i++) {
        if (text.at[i] == 'm')
            return i + 1;
    }
    return 0;
}

size_t tv_text_next(struct tv_str text)
{
    size_t len = style_len(text);
    if (!len)
        (void)tv_utf8_next(text, &len);
    return len;
}

/* Columns on a terminal, not bytes: some characters take two, some none, and styles take none. */
size_t tv_text_width(struct tv_str text)
{
    size_t width = 0;
    for (size_t at = 0; at < text.len;) {
        size_t len = style_len((struct tv_str){text.at + at, text.len - at});
        if (len) {
            at += len;
            continue;
        }
        unsigned char byte = (unsigned char)text.at[at];
        if (byte >= 0x20 && byte < 0x7f) {
            width++;
            at++;
            continue;
        }
        /* A character that no locale knows is shown as one box. */
        int columns = wcwidth((wchar_t)tv_utf8_next(text, &at));
        width += columns < 0 ? 1 : (size_t)columns;
    }
    return width;
}

static bool is_blank(struct tv_str text, size_t at)
{
    return at < text.len && text.at[at] == ' ';
}

static size_t skip_word(struct tv_str line, size_t at)
{
    while (at < line.len && line.at[at] != ' ')
        at++;
    return at;
}

/* A sentence may go on or end behind a unit. */
static bool is_unit(struct tv_str word)
{
    static const char *const units[] = {"s", "ms", MICROSECONDS, "us", "ns", "%", "kB", "MB", "GB"};
    while (word.len && strchr(",.;:)", word.at[word.len - 1]))
        word.len--;
    for (size_t i = 0; i < TV_COUNT_OF(units); i++)
        if (tv_str_equal(word, tv_str_from(units[i])))
            return true;
    return false;
}

/* Where the word at `word` ends. A number takes its unit with it, where both fit into a line. */
static size_t end_of_word(struct tv_str line, size_t word, size_t room)
{
    size_t end = skip_word(line, word);
    if (end >= line.len || line.at[word] < '0' || line.at[word] > '9')
        return end;
    size_t unit = end + 1;
    size_t unit_end = skip_word(line, unit);
    bool fits = tv_text_width((struct tv_str){line.at + word, unit_end - word}) <= room;
    return fits && is_unit((struct tv_str){line.at + unit, unit_end - unit}) ? unit_end : end;
}

/* Adds a line word by word, each with the blanks before it. */
static void break_line(struct tv_text *text, struct tv_str line, size_t width, unsigned indent)
{
    size_t used = 0;
    for (size_t at = 0; at < line.len;) {
        size_t word = at;
        while (is_blank(line, word))
            word++;
        size_t end = end_of_word(line, word, width > indent ? width - indent : 0);
        size_t word_width = tv_text_width((struct tv_str){line.at + word, end - word});
        if (used && used + (word - at) + word_width > width) {
            tv_text_add(text, "\n%*s", (int)indent, "");
            used = indent;
            at = word;
        }
        tv_text_add_str(text, (struct tv_str){line.at + at, end - at});
        used += word - at + word_width;
        at = end;
    }
}

/* Line by line, so that a line which fits stays as it is. */
void tv_text_break(struct tv_text *text, struct tv_str lines, size_t width, unsigned indent)
{
    struct tv_str line;
    while (lines.len && tv_str_split(&lines, '\n', &line)) {
        if (tv_text_width(line) <= width)
            tv_text_add_str(text, line);
        else
            break_line(text, line, width, indent);
        tv_text_add_str(text, TV_STR("\n"));
    }
}

void tv_text_add_not_compared(struct tv_text *text, const char *what, struct tv_str file,
                              const char *why)
{
    tv_text_add(text, "%s are not compared: ", what);
    tv_text_add_name(text, file);
    tv_text_add(text, " %s.\n", why);
}
