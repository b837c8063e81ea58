/*
 * Reading and writing lockfiles of calls; see compare/call_lock.h and docs/compare.md.
 *
 * A lockfile is edited and merged by people, so reading is strict and says the line: names must be
 * sorted and stand once, a range must be a range, and the marks of a conflict of version control
 * are refused by name. Names may hold any byte; what could end a line or a column is written as
 * \xNN, and a name that is not written in the one way this file writes it is refused.
 *
 * The file is written by this program alone and merged by others, so writing has one form for
 * everything: the same counts make the same bytes, and a difference in version control is a
 * difference of counts.
 */
#include "compare/call_lock.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory/sort.h"
#include "base/text/out.h"
#include "base/text/utf8.h"

#define FIRST_LINE "traceview counts 1"
/* Of the id of a build, in messages. */
#define TOLD_OF_ID 23

void tv_call_lock_init(struct tv_call_lock *lock, const struct tv_alloc *alloc)
{
    *lock = (struct tv_call_lock){.alloc = alloc};
    tv_arena_init(&lock->texts, alloc);
}

void tv_call_lock_release(struct tv_call_lock *lock)
{
    tv_alloc_release(lock->alloc, &lock->lines, lock->cap, sizeof(*lock->lines));
    tv_arena_release(&lock->texts);
    tv_call_lock_init(lock, lock->alloc);
}

static const char hex_digits[] = "0123456789abcdef";

/* The most bytes that one byte of a name becomes. */
#define ESCAPED_MOST 4u

/* Two digits always, so that a digit that follows is not taken into the escape. */
static size_t put_escaped_byte(char *to, unsigned char byte)
{
    to[0] = '\\';
    to[1] = 'x';
    to[2] = hex_digits[byte >> 4];
    to[3] = hex_digits[byte & 15];
    return ESCAPED_MOST;
}

/* Whether the character that begins at `at` can stand in the file as it is. U+FFFD is what stands
 * for bytes that are no text, so its own bytes are escaped, too. */
static bool is_plain(struct tv_str text, size_t at, size_t *len)
{
    size_t end = at;
    uint32_t character = tv_utf8_next(text, &end);
    *len = end - at;
    return character != TV_UTF8_REPLACEMENT && character != '\\' && character >= ' ' &&
           !tv_utf8_needs_escape(character) && *len <= 4; /* two surrogates are no UTF-8 */
}

/* Writes a name so that nothing of it ends a line or a column; returns the length. */
static size_t escape(struct tv_str text, char *to)
{
    size_t len = 0;
    for (size_t at = 0; at < text.len;) {
        size_t character_len;
        bool plain = is_plain(text, at, &character_len);
        for (size_t i = 0; i < character_len; i++) {
            unsigned char byte = (unsigned char)text.at[at + i];
            if (plain)
                to[len++] = (char)byte;
            else
                len += put_escaped_byte(to + len, byte);
        }
        at += character_len;
    }
    return len;
}

/* Escaped first into a room that is surely large enough, then copied at its true length: names of a
 * lock live as long as the lock. */
static enum tv_code add_escaped(struct tv_call_lock *lock, struct tv_str text,
                                struct tv_str *escaped, struct tv_error *err)
{
    char *room;
    size_t most;
    struct tv_buffer once;
    if (!tv_size_mul(text.len, ESCAPED_MOST, &most))
        return tv_fail_memory(err, UINT64_MAX);
    tv_buffer_init(&once, lock->alloc);
    uint8_t *at;
    TV_TRY(tv_buffer_extend(&once, most, &at, err));
    size_t len = escape(text, (char *)at);
    enum tv_code code = tv_arena_take(&lock->texts, len + 1, &room, err);
    if (code == TV_OK) {
        if (len)
            memcpy(room, at, len);
        *escaped = (struct tv_str){room, len};
    }
    tv_buffer_release(&once);
    return code;
}

/* The reverse of escape(). What is no escape stays as it is; that a name was written in the one way
 * was checked when it was read. */
enum tv_code tv_lock_unescape(struct tv_str text, struct tv_buffer *out, struct tv_error *err)
{
    out->len = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint64_t value = (unsigned char)text.at[i];
        if (text.at[i] == '\\' && text.len - i >= ESCAPED_MOST && text.at[i + 1] == 'x' &&
            tv_str_to_u64((struct tv_str){text.at + i + 2, 2}, 16, &value))
            i += ESCAPED_MOST - 1;
        uint8_t byte = (uint8_t)value;
        TV_TRY(tv_buffer_append(out, &byte, 1, err));
    }
    return TV_OK;
}

static enum tv_code add_line(struct tv_call_lock *lock, const struct tv_lock_line *line,
                             struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(lock->alloc, &lock->lines, &lock->cap, lock->count + 1,
                         sizeof(*lock->lines), err));
    lock->lines[lock->count++] = *line;
    return TV_OK;
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_lock_line *lines = ctx;
    return tv_str_compare(lines[a].name, lines[b].name);
}

/* Methods that were called, and behind them those that were inlined, by the names of both. */
struct named_methods {
    const struct tv_join *join, *inlined;
    struct tv_lock_line *names;
    uint32_t *order;
    size_t count;
};

/* Takes the methods of one name, [first, end) of the order, together: a name tells where the class
 * ends by a point, as names of methods may have one, too. */
static struct tv_lock_line sum_up(const struct named_methods *named, size_t first, size_t end)
{
    const struct tv_join *join = named->join;
    struct tv_lock_line line = {.name = named->names[named->order[first]].name,
                                .least = UINT64_MAX};
    for (size_t run = 0; run < join->run_count; run++) {
        uint64_t calls = 0;
        for (size_t i = first; i < end; i++) {
            if (named->order[i] < join->count)
                calls += tv_join_calls(join, named->order[i], run);
            else
                line.is_inlined = true;
        }
        if (calls < line.least)
            line.least = calls;
        if (calls > line.most)
            line.most = calls;
    }
    return line;
}

/* Several methods may have one name after numbers were cut off; they become one line with their
 * sum. */
static enum tv_code add_lines(struct tv_call_lock *lock, const struct named_methods *named,
                              struct tv_error *err)
{
    for (size_t i = 0; i < named->count; i++)
        named->order[i] = (uint32_t)i;
    TV_TRY(tv_sort(lock->alloc, named->order, named->count, compare_names, named->names, err));
    size_t end;
    for (size_t first = 0; first < named->count; first = end) {
        const struct tv_str name = named->names[named->order[first]].name;
        end = first + 1;
        while (end < named->count && tv_str_equal(name, named->names[named->order[end]].name))
            end++;
        struct tv_lock_line line = sum_up(named, first, end);
        if (line.most || line.is_inlined)
            TV_TRY(add_line(lock, &line, err));
    }
    return TV_OK;
}

/* Names are made once and then sorted by, since lines of a lock stand in the order of their names.
 */
static enum tv_code name_methods(struct tv_call_lock *lock, const struct named_methods *named,
                                 struct tv_error *err)
{
    const size_t called = named->join->count;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_buffer_init(&name, lock->alloc);
    for (size_t i = 0; code == TV_OK && i < named->count; i++) {
        code = tv_joined_text(i < called ? &named->join->methods[i]
                                         : &named->inlined->methods[i - called],
                              &name, err);
        if (code == TV_OK)
            code = add_escaped(lock, tv_buffer_view(&name), &named->names[i].name, err);
    }
    tv_buffer_release(&name);
    return code;
}

static enum tv_code take_subject(struct tv_call_lock *lock, const struct tv_lock_subject *subject,
                                 struct tv_error *err)
{
    TV_TRY(add_escaped(lock, subject->mine, &lock->subject.mine, err));
    TV_TRY(add_escaped(lock, subject->from, &lock->subject.from, err));
    TV_TRY(add_escaped(lock, subject->until, &lock->subject.until, err));
    TV_TRY(add_escaped(lock, subject->short_names, &lock->subject.short_names, err));
    return add_escaped(lock, subject->per, &lock->subject.per, err);
}

/* A lock has the range of counts over all runs, so a method that differs from run to run is not
 * called changed. */
enum tv_code tv_call_lock_of_join(struct tv_call_lock *lock, const struct tv_join *join,
                                  const struct tv_join *inlined,
                                  const struct tv_lock_subject *subject, struct tv_error *err)
{
    const struct tv_alloc *alloc = lock->alloc;
    struct named_methods named = {.join = join, .inlined = inlined};
    tv_call_lock_release(lock);
    lock->runs = join->run_count;
    named.count = join->count + inlined->count;
    enum tv_code code = take_subject(lock, subject, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &named.names, named.count, sizeof(*named.names), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &named.order, named.count, sizeof(*named.order), err);
    if (code == TV_OK)
        code = name_methods(lock, &named, err);
    if (code == TV_OK)
        code = add_lines(lock, &named, err);
    tv_alloc_release(alloc, &named.names, named.count, sizeof(*named.names));
    tv_alloc_release(alloc, &named.order, named.count, sizeof(*named.order));
    if (code != TV_OK)
        tv_call_lock_release(lock);
    return code;
}

enum tv_code tv_call_locks_match(const struct tv_call_lock *locked, const struct tv_call_lock *runs,
                                 struct tv_error *err)
{
    const struct tv_str of[] = {locked->subject.short_names, runs->subject.short_names};
    char words[TV_COUNT_OF(of)][64];
    if (tv_str_equal(of[0], of[1]))
        return TV_OK;
    for (size_t i = 0; i < TV_COUNT_OF(of); i++)
        (void)snprintf(words[i], sizeof(words[i]), "%s%.*s",
                       of[i].len ? "short names of build " : "names of the source",
                       of[i].len < TOLD_OF_ID ? (int)of[i].len : TOLD_OF_ID, of[i].at);
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "the lockfile has %s, and the recordings have %s: methods are matched by the "
                   "mappings of both alone (--mappings FOLDER)",
                   words[0], words[1]);
}

enum tv_code tv_call_lock_check(const struct tv_call_lock *lock, struct tv_error *err)
{
    const struct tv_str mine = lock->subject.mine;
    for (size_t i = 0; i < lock->count; i++) {
        if (lock->lines[i].most)
            return TV_OK;
    }
    if (mine.len)
        return tv_fail(
            err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
            "nothing to count: mine is '%.*s', and no class with a method that was called "
            "begins so",
            tv_str_shown_len(mine), mine.at);
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "nothing to count: no method was called in what is asked for");
}

/* Where the reading of a file is. */
struct lock_reader {
    struct tv_call_lock *lock;
    struct tv_str rest;
    struct tv_str line;
    uint64_t number; /* of the line, from 1 */
    uint64_t offset;
    uint64_t next_offset;
    struct tv_buffer plain; /* the name of the line, and as it is to stand there */
    struct tv_buffer escaped;
};

static enum tv_code refuse(const struct lock_reader *reader, const char *why, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_FORMAT, reader->offset, "line %llu: %s",
                   (unsigned long long)reader->number, why);
}

/* Takes the next line, without its end; a return before the end belongs to it. False: there is
 * none. */
static bool next_line(struct lock_reader *reader)
{
    reader->offset = reader->next_offset;
    if (!reader->rest.len)
        return false;
    const char *end = memchr(reader->rest.at, '\n', reader->rest.len);
    size_t len = end ? (size_t)(end - reader->rest.at) : reader->rest.len;
    size_t taken = len + (end ? 1 : 0);
    reader->line = (struct tv_str){reader->rest.at, len};
    if (len && reader->line.at[len - 1] == '\r')
        reader->line.len--;
    reader->rest.at += taken;
    reader->rest.len -= taken;
    reader->next_offset += taken;
    reader->number++;
    return true;
}

/* Marks of git in a file that was merged by hand half-way: without this they would be lines of
 * methods. */
static bool is_conflict(struct tv_str line)
{
    static const char *const marks[] = {"<<<<<<<", ">>>>>>>", "|||||||", "======="};
    for (size_t i = 0; i < TV_COUNT_OF(marks); i++) {
        if (tv_str_starts_with(line, tv_str_from(marks[i])))
            return true;
    }
    return false;
}

static enum tv_code refuse_conflict(const struct lock_reader *reader, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_FORMAT, reader->offset,
                   "line %llu is a conflict marker, '%.7s': two versions were merged and nobody "
                   "chose; take one of them, then write it anew with --update",
                   (unsigned long long)reader->number, reader->line.at);
}

/* "12" or "3..7", with "+" behind it where the method was inlined, too. */
static bool read_range(struct tv_str text, struct tv_lock_line *line)
{
    line->is_inlined = tv_str_ends_with(text, TV_STR("+"));
    text.len -= line->is_inlined;
    size_t points = tv_str_find(text, TV_STR(".."), TV_CASE_EXACT);
    if (points == SIZE_MAX) {
        bool is_number = tv_str_to_u64(text, 10, &line->least);
        line->most = line->least;
        return is_number;
    }
    struct tv_str most = {text.at + points + 2, text.len - points - 2};
    return tv_str_to_u64((struct tv_str){text.at, points}, 10, &line->least) &&
           tv_str_to_u64(most, 10, &line->most) && line->least < line->most;
}

/* Whether a name is as a file has it: what had to be escaped is, and nothing else. Two spellings of
 * one name would be two methods. */
static enum tv_code check_name(struct lock_reader *reader, struct tv_str name, struct tv_error *err)
{
    uint8_t *room;
    TV_TRY(tv_lock_unescape(name, &reader->plain, err));
    reader->escaped.len = 0;
    TV_TRY(tv_buffer_extend(&reader->escaped, reader->plain.len * ESCAPED_MOST, &room, err));
    size_t len = escape(tv_buffer_view(&reader->plain), (char *)room);
    if (!tv_str_equal(name, (struct tv_str){(const char *)room, len}))
        return refuse(reader, "the name is not escaped as this file escapes names", err);
    return TV_OK;
}

/* A line is a count or a range, a tab and a name. Each fault has a sentence of its own, because
 * people merge these files by hand. */
static enum tv_code read_count(struct lock_reader *reader, struct tv_error *err)
{
    struct tv_call_lock *lock = reader->lock;
    struct tv_lock_line line = {.least = 0};
    struct tv_str rest = reader->line;
    struct tv_str count;
    if (tv_str_find(rest, TV_STR("\t"), TV_CASE_EXACT) == SIZE_MAX)
        return refuse(reader,
                      "neither a count and a name with a tab between them, nor a word of "
                      "this file's head",
                      err);
    (void)tv_str_split(&rest, '\t', &count);
    if (!read_range(count, &line))
        return refuse(
            reader,
            "before the tab is no count (12) and no range (3..7), with or without a + behind it",
            err);
    if (!line.most && !line.is_inlined)
        return refuse(reader, "a method without calls has no line", err);
    if (!rest.len)
        return refuse(reader, "there is no name behind the tab", err);
    TV_TRY(check_name(reader, rest, err));
    if (lock->count && tv_str_compare(lock->lines[lock->count - 1].name, rest) >= 0)
        return refuse(reader, "names are not in order, or one stands twice", err);
    line.name = rest;
    return add_line(lock, &line, err);
}

/* Takes what stands behind a word of the head, once. */
static enum tv_code read_word(struct lock_reader *reader, struct tv_str word, struct tv_str *value,
                              struct tv_error *err)
{
    struct tv_str text = {reader->line.at + word.len, reader->line.len - word.len};
    if (value->len || !text.len)
        return refuse(reader, "this line of the head stands twice, or is empty", err);
    *value = text;
    return check_name(reader, text, err);
}

static enum tv_code read_runs(struct lock_reader *reader, struct tv_str word, struct tv_error *err)
{
    struct tv_str text = {reader->line.at + word.len, reader->line.len - word.len};
    uint64_t *runs = &reader->lock->runs;
    if (*runs || !tv_str_to_u64(text, 10, runs) || !*runs)
        return refuse(reader, "the number of runs stands twice, or is no number above 0", err);
    return TV_OK;
}

/* A line of the head, before the first count. */
static enum tv_code read_head(struct lock_reader *reader, struct tv_error *err)
{
    struct tv_lock_subject *subject = &reader->lock->subject;
    const struct {
        struct tv_str word;
        struct tv_str *value;
    } words[] = {{TV_STR("mine "), &subject->mine},
                 {TV_STR("from "), &subject->from},
                 {TV_STR("until "), &subject->until},
                 {TV_STR("per "), &subject->per},
                 {TV_STR("short-names-of "), &subject->short_names}};
    if (tv_str_starts_with(reader->line, TV_STR("runs ")))
        return read_runs(reader, TV_STR("runs "), err);
    for (size_t i = 0; i < TV_COUNT_OF(words); i++) {
        if (tv_str_starts_with(reader->line, words[i].word))
            return read_word(reader, words[i].word, words[i].value, err);
    }
    return read_count(reader, err);
}

/* Marks of a conflict are recognised first: the sentence about them helps more than one about a
 * missing tab. */
static enum tv_code read_lines(struct lock_reader *reader, struct tv_error *err)
{
    if (!next_line(reader) || !tv_str_equal(reader->line, TV_STR(FIRST_LINE))) {
        if (reader->number && is_conflict(reader->line))
            return refuse_conflict(reader, err);
        return tv_fail(err, TV_ERR_FORMAT, 0,
                       "no lockfile of calls: its first line is not '" FIRST_LINE "'");
    }
    while (next_line(reader)) {
        if (!reader->line.len || reader->line.at[0] == '#')
            continue;
        if (is_conflict(reader->line))
            return refuse_conflict(reader, err);
        TV_TRY(reader->lock->count ? read_count(reader, err) : read_head(reader, err));
    }
    if (!reader->lock->runs)
        return refuse(reader, "the file does not say of how many runs it is ('runs 5')", err);
    if (!reader->lock->subject.from.len != !reader->lock->subject.until.len)
        return refuse(reader, "'from' and 'until' stand together or not at all", err);
    return TV_OK;
}

/* The length is bounded before anything is read: a file of gigabytes is no lockfile, whatever it
 * holds. */
enum tv_code tv_call_lock_read(struct tv_call_lock *lock, struct tv_str text, struct tv_error *err)
{
    tv_call_lock_release(lock);
    if (text.len > TV_LOCK_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u MiB are no lockfile of calls",
                       TV_LOCK_MOST >> 20);
    struct lock_reader reader = {.lock = lock, .rest = text};
    tv_buffer_init(&reader.plain, lock->alloc);
    tv_buffer_init(&reader.escaped, lock->alloc);
    enum tv_code code = read_lines(&reader, err);
    tv_buffer_release(&reader.plain);
    tv_buffer_release(&reader.escaped);
    if (code != TV_OK)
        tv_call_lock_release(lock);
    return code;
}

/* A value that is not known has no line, rather than an empty one that would be read as known. */
static void write_word(struct tv_out *out, struct tv_str word, struct tv_str value)
{
    if (!value.len)
        return;
    tv_out_text(out, word);
    tv_out_text(out, value);
    tv_out_text(out, TV_STR("\n"));
}

static bool has_inlined(const struct tv_call_lock *lock)
{
    bool has = false;
    for (size_t i = 0; i < lock->count; i++)
        has = has || lock->lines[i].is_inlined;
    return has;
}

/* Writes the head first, whose words read_head reads back; words that are empty are left out. */
enum tv_code tv_call_lock_write(const struct tv_call_lock *lock, struct tv_sink sink,
                                struct tv_error *err)
{
    struct tv_out out;
    tv_out_init(&out, sink);
    tv_out_text(&out, TV_STR(FIRST_LINE "\n# How often each method was called. 'traceview counts "
                                        "--update' writes this file anew;\n# 3..7 is a method "
                                        "whose count differed between the runs.\n"));
    if (has_inlined(lock))
        tv_out_text(&out,
                    TV_STR("# 12+ is one that ran inside others, too, where a mapping says it "
                           "was inlined: how often is not known.\n"));
    if (lock->merged_count) {
        tv_out_text(&out, TV_STR("# Names that stand for several "
                                 "methods: "));
        tv_out_decimal(&out, lock->merged_count);
        tv_out_text(&out, TV_STR("\n"));
    }
    tv_out_text(&out, TV_STR("runs "));
    tv_out_decimal(&out, lock->runs);
    tv_out_text(&out, TV_STR("\n"));
    write_word(&out, TV_STR("mine "), lock->subject.mine);
    write_word(&out, TV_STR("from "), lock->subject.from);
    write_word(&out, TV_STR("until "), lock->subject.until);
    write_word(&out, TV_STR("per "), lock->subject.per);
    write_word(&out, TV_STR("short-names-of "), lock->subject.short_names);
    tv_out_text(&out, TV_STR("\n"));
    for (size_t i = 0; i < lock->count; i++) {
        const struct tv_lock_line *line = &lock->lines[i];
        tv_out_decimal(&out, line->least);
        if (line->most != line->least) {
            tv_out_text(&out, TV_STR(".."));
            tv_out_decimal(&out, line->most);
        }
        if (line->is_inlined)
            tv_out_text(&out, TV_STR("+"));
        write_word(&out, TV_STR("\t"), line->name);
    }
    return tv_out_finish(&out, err);
}

/* A count outside of the locked range is a stray while it is no further away than the range is
 * wide; a range of one number allows no stray. Calls that are missing decide nothing on a side that
 * has the method inlined. */
enum tv_lock_change tv_lock_compare(const struct tv_lock_line *locked,
                                    const struct tv_lock_line *run)
{
    static const struct tv_lock_line none = {.least = 0};
    if (!run)
        run = &none;
    if (!locked)
        return run->most ? TV_LOCK_NEW : TV_LOCK_SAME;
    if (run->least >= locked->least && run->most <= locked->most)
        return TV_LOCK_SAME;
    uint64_t width = locked->most - locked->least;
    uint64_t below =
        locked->least > run->least && !run->is_inlined ? locked->least - run->least : 0;
    uint64_t above = run->most > locked->most && !locked->is_inlined ? run->most - locked->most : 0;
    if (!below && !above)
        return TV_LOCK_INLINED;
    if (below <= width && above <= width)
        return TV_LOCK_STRAY;
    return run->most ? TV_LOCK_CHANGED : TV_LOCK_GONE;
}
