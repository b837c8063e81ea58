/* The live line of a recording; see cli/record/record_java_line.h, and of the agent's file
 * docs/formats/stream.md.
 *
 * While a Java program is recorded one line says how far it is: the length of the file and the
 * calls in it, which are counted by reading what was added since the last look. A file that cannot
 * be read is shown by its length alone.
 */
#include "cli/record/record_java_line.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cli/wording.h"
#include "format/encode.h"
#include "format/wire.h"

/* Larger than the longest packet. */
#define PIECE ((size_t)128 << 10)
/* Pieces that are counted at one look; the next look goes on with the rest. */
#define MOST_PIECES 512u

/* The length of the packet that stands behind a thread id of 0; 0: more of it must come first,
 * SIZE_MAX: it is of no known kind. */
static size_t packet_len(const uint8_t *at, size_t left)
{
    if (left < 3)
        return 0;
    switch (at[2]) {
    case TV_WIRE_STREAM_METHOD:
        return left < TV_STREAM_METHOD_HEAD ? 0 : TV_STREAM_METHOD_HEAD + tv_load_le16(at + 3);
    case TV_WIRE_STREAM_THREAD:
        return left < TV_STREAM_THREAD_HEAD ? 0 : TV_STREAM_THREAD_HEAD + tv_load_le16(at + 5);
    default: /* the summary is the end */
        return SIZE_MAX;
    }
}

/* Counts the calls of whole records and packets, and returns how many bytes these are. */
static size_t count_calls(struct tv_record_java_line *line, const uint8_t *bytes, size_t len,
                          size_t record_len)
{
    size_t pos = 0;
    while (len - pos >= 2) {
        const uint8_t *at = bytes + pos;
        const bool is_record = tv_load_le16(at) != 0;
        const size_t unit = is_record ? record_len : packet_len(at, len - pos);
        if (unit == SIZE_MAX)
            line->is_lost = !is_record && at[2] != TV_WIRE_STREAM_SUMMARY;
        if (!unit || unit > len - pos)
            break;
        line->calls += is_record && !(at[2] & TV_WIRE_ACTION_MASK);
        pos += unit;
    }
    return pos;
}

/* The length of the stream's records; 0: it is no stream of records, or has no header yet. */
static size_t record_len_of(int fd)
{
    uint8_t head[TV_WIRE_LONG_HEADER];
    if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
        tv_load_le32(head) != TV_WIRE_MAGIC)
        return 0;
    const size_t len = tv_load_le16(head + TV_WIRE_RECORD_LEN_AT);
    return len >= TV_WIRE_ONE_TIME_RECORD && len <= TV_WIRE_RECORD_MOST ? len : 0;
}

/* Counts what has come since the last look. */
static void count_new(struct tv_record_java_line *line, int fd)
{
    uint8_t piece[PIECE];
    const size_t record_len = record_len_of(fd);
    if (!record_len)
        return;
    line->counted = line->counted ? line->counted : TV_WIRE_HEADER;
    for (unsigned i = 0; i < MOST_PIECES && !line->is_lost; i++) {
        const ssize_t got = pread(fd, piece, PIECE, (off_t)line->counted);
        const size_t len = got > 0 ? count_calls(line, piece, (size_t)got, record_len) : (size_t)0;
        line->counted += len;
        if (!len)
            break;
    }
}

/* What each line begins with, behind the program's name. */
static void begin_line(const struct tv_record_java_line *line, uint64_t passed_ns,
                       struct tv_text *text)
{
    tv_text_init(text, line->line.cli->alloc);
    tv_text_add(text, "%.1f s, ", (double)passed_ns / 1e9);
}

static void end_line(struct tv_record_java_line *line, struct tv_text *text)
{
    tv_text_add(text, "; Ctrl-C ends it");
    tv_status_line_show(&line->line, tv_str_from(line->program), tv_text_view(text));
    tv_text_release(text);
}

void tv_record_java_line_show_stacks(struct tv_record_java_line *line, uint64_t passed_ns,
                                     uint64_t stacks)
{
    struct tv_text text;
    if (!tv_status_line_has_place(&line->line))
        return;
    begin_line(line, passed_ns, &text);
    tv_text_add_count(&text, stacks);
    tv_text_add(&text, stacks == 1 ? " stack" : " stacks");
    end_line(line, &text);
}

/* The file is opened anew for each look: at first it is not there yet. */
void tv_record_java_line_show(struct tv_record_java_line *line, uint64_t passed_ns)
{
    struct tv_text text;
    struct stat file = {.st_size = 0};
    if (!tv_status_line_has_place(&line->line))
        return;
    const int fd = open(line->stream, O_RDONLY | O_CLOEXEC);
    const bool is_there = fd >= 0 && fstat(fd, &file) == 0;
    if (is_there && !line->is_sampled)
        count_new(line, fd);
    if (fd >= 0)
        (void)close(fd);
    begin_line(line, passed_ns, &text);
    tv_text_add_size(&text, is_there ? (uint64_t)file.st_size : 0);
    if (line->counted && !line->is_lost) {
        tv_text_add(&text, ", ");
        tv_text_add_count(&text, line->calls);
        tv_text_add(&text, line->calls == 1 ? " call" : " calls");
    }
    end_line(line, &text);
}

void tv_record_java_line_clear(struct tv_record_java_line *line)
{
    tv_status_line_clear(&line->line);
}
