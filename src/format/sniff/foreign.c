/*
 * Names files of other tools, so that a refusal can say what the file is and who opens it; see
 * format/sniff/foreign.h.
 *
 * A file is known by its first bytes where these tell its kind, else by words near its start. Each
 * table has one line per kind, and the first line that fits is told: special kinds stand before
 * general ones. Words are looked for only in the kind of text (JSON, markup, other) that has them,
 * because they are common in the others.
 */
#include "format/sniff/foreign.h"

#include <stdbool.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory/text_damage.h"
#include "base/str.h"
#include "format/perfetto/perfetto_packets.h"

/* How far words are looked for: what tells the kind of a text stands in its first lines. */
#define LOOK_LEN 4096u

struct magic {
    size_t at;
    struct tv_str bytes;
    const char *text;
};

#define MAGIC(at, bytes, text)                                                                     \
    {                                                                                              \
        (at), {(bytes), sizeof(bytes) - 1}, (text)                                                 \
    }

/* The first bytes of gzip and Zstandard files, as conversions to UTF-8 leave them. */
#define PACKED_AS_TEXT                                                                             \
    "a packed file that was copied as UTF-8 text, which destroys it: " TV_COPY_AGAIN

static const struct magic magics[] = {
    MAGIC(0, "SIMPLEPERF",
          "stacks that simpleperf sampled (Android Studio's callstack sample), not a method trace: "
          "open it in Android Studio, at ui.perfetto.dev or at profiler.firefox.com"),
    MAGIC(0, "PERFILE2",
          "a profile of perf or simpleperf, not a method trace: open it with perf report, "
          "simpleperf report, or at ui.perfetto.dev"),
    MAGIC(0, "JAVA PROFILE",
          "a Java heap dump (hprof), not a method trace: a heap analyser opens it"),
    MAGIC(0, "FLR\0",
          "a Java Flight Recorder file, not an Android method trace: JDK Mission Control opens it"),
    MAGIC(0, "bplist00", "an Apple property list, as in an Instruments .trace: open that in Xcode"),
    MAGIC(0, "\x00\x03\xaa\x55", "an Apple ktrace file: open it with Instruments or ktrace"),
    MAGIC(0, "\x00\x02\xaa\x55", "an Apple kdebug file: open it with Instruments or ktrace"),
    MAGIC(0, "\x01\x01\xaa\x55", "an Apple kdebug file: open it with Instruments or ktrace"),
    MAGIC(0, "PK\x03\x04", "a zip archive: unpack it and give the trace inside"),
    MAGIC(0, "PK\x05\x06", "an empty zip archive: there is no trace in it"),
    MAGIC(257, "ustar", "a tar archive: unpack it and give the trace inside"),
    MAGIC(0, "\x1f\x8b", "a gzip file inside: unpack it first"),
    MAGIC(0, "\x28\xb5\x2f\xfd", "a Zstandard file inside: unpack it first"),
    MAGIC(0,
          "\xfd"
          "7zXZ",
          "an xz file: unpack it first"),
    MAGIC(0, "\x1f\xef\xbf\xbd\x08", PACKED_AS_TEXT),
    MAGIC(0, "\x1f\xc2\x8b\x08", PACKED_AS_TEXT),
    MAGIC(0, "\x28\xef\xbf\xbd\x2f\xef\xbf\xbd", PACKED_AS_TEXT),
    MAGIC(0, "\x28\xc2\xb5\x2f\xc3\xbd", PACKED_AS_TEXT),
    MAGIC(0, "BZh", "a bzip2 file: unpack it first"),
    MAGIC(0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it and give the trace inside"),
    MAGIC(0, "Rar!", "a RAR archive: unpack it and give the trace inside"),
    MAGIC(0, "\x89PNG", "a PNG picture, not a trace"),
    MAGIC(0, "\xff\xd8\xff", "a JPEG picture, not a trace"),
    MAGIC(0, "GIF8", "a GIF picture, not a trace"),
    MAGIC(0, "%PDF", "a PDF document, not a trace"),
    MAGIC(0,
          "\x7f"
          "ELF",
          "a program or library (ELF), not a trace"),
    MAGIC(0, "\xca\xfe\xba\xbe", "a Java class file, not a trace"),
    MAGIC(0, "dex\n", "Android bytecode (dex), not a trace"),
    MAGIC(0, "SQLite format 3", "an SQLite database, not a trace"),
    MAGIC(0, "version https://git-lfs",
          "a Git LFS pointer, not the trace itself: run git lfs pull"),
    MAGIC(0,
          "# tracer:", "an ftrace log (systrace), not a method trace: open it at ui.perfetto.dev"),
    MAGIC(0, "TRACE:\n",
          "an atrace log (systrace), not a method trace: open it at ui.perfetto.dev"),
    MAGIC(0, "# callgrind format",
          "a callgrind profile, not a method trace: open it with KCachegrind"),
    MAGIC(0, "PAR1", "a Parquet file, not a trace: DuckDB, pandas and Polars read it"),
    MAGIC(0, "ARROW1", "an Arrow file, not a trace: DuckDB, pandas and Polars read it"),
    MAGIC(0, "digraph ", "a graph for Graphviz, not a trace: dot draws it"),
    MAGIC(0, "\xef\xbb\xbf*version",
          "a method trace that a text editor saved again, with a byte order mark; "
          "its records are damaged: copy the file in binary"),
    MAGIC(0, "\xff\xfe*",
          "a method trace that a text editor saved as UTF-16; its records are damaged: copy "
          "the file in binary"),
};

struct word {
    enum tv_case fold;
    struct tv_str bytes;
    const char *text;
};

#define WORD(fold, bytes, text)                                                                    \
    {                                                                                              \
        (fold), {(bytes), sizeof(bytes) - 1}, (text)                                               \
    }

/* In a text that begins with { or [. */
static const struct word json_words[] = {
    WORD(TV_CASE_EXACT, "speedscope.app/file-format-schema",
         "a speedscope profile, not a method trace: open it "
         "at speedscope.app"),
    WORD(TV_CASE_EXACT, "\"traceEvents\"",
         "a Chrome trace (JSON), not a method trace: open it at "
         "ui.perfetto.dev"),
    WORD(TV_CASE_EXACT, "\"ph\"",
         "a Chrome trace (JSON), not a method trace: open it at ui.perfetto.dev"),
    WORD(TV_CASE_EXACT, "\"preprocessedProfileVersion\"",
         "a Firefox profile, not a method trace: open it at "
         "profiler.firefox.com"),
    WORD(TV_CASE_EXACT, "\"meta\"",
         "a Firefox profile (JSON), not a method trace: open it at "
         "profiler.firefox.com"),
    WORD(TV_CASE_EXACT, "\"nodes\"",
         "a V8 profile (JSON), not a method trace: open it in Chrome's developer "
         "tools"),
    WORD(TV_CASE_EXACT, "", "a JSON file, not a method trace"),
};

/* In a text that begins with <. */
static const struct word markup_words[] = {
    WORD(TV_CASE_FOLD, "<!doctype plist",
         "an Apple property list, as in an Instruments .trace: open that in "
         "Xcode"),
    WORD(TV_CASE_FOLD, "trace-viewer",
         "a systrace page, not a method trace: open it in a browser or at "
         "ui.perfetto.dev"),
    WORD(TV_CASE_FOLD, "<html",
         "a web page, probably an error message or a login page in place of the trace: "
         "download it again"),
    WORD(TV_CASE_FOLD, "<!doctype html",
         "a web page, probably an error message or a login page in place of "
         "the trace: download it again"),
    WORD(TV_CASE_EXACT, "<?xml", "an XML file, not a method trace"),
};

/* In any text. */
static const struct word text_words[] = {
    WORD(TV_CASE_EXACT, "DALVIK THREADS",
         "stacks of an ANR (traces.txt), not a method trace: read it as text"),
    WORD(TV_CASE_EXACT, "----- pid ",
         "stacks of an ANR (traces.txt), not a method trace: read it as text"),
    WORD(TV_CASE_EXACT,
         "\nCmd line: ", "stacks of an ANR (traces.txt), not a method trace: read it as text"),
};

static const char *find_magic(struct tv_str file)
{
    for (size_t i = 0; i < TV_COUNT_OF(magics); i++) {
        const struct magic *magic = &magics[i];
        if (magic->at > file.len)
            continue;
        if (tv_str_starts_with((struct tv_str){file.at + magic->at, file.len - magic->at},
                               magic->bytes))
            return magic->text;
    }
    return NULL;
}

static const char *find_word(struct tv_str start, const struct word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tv_str_find(start, words[i].bytes, words[i].fold) != SIZE_MAX)
            return words[i].text;
    }
    return NULL;
}

/* Whether a line names a class as a mapping of R8 or ProGuard does: "pkg.Class -> a.b:". */
static bool is_mapping(struct tv_str start)
{
    struct tv_str line;
    while (start.len && tv_str_split(&start, '\n', &line)) {
        while (line.len && line.at[line.len - 1] == '\r')
            line.len--;
        if (line.len && line.at[0] != ' ' && line.at[0] != '#' && line.at[line.len - 1] == ':' &&
            tv_str_find(line, TV_STR(" -> "), TV_CASE_EXACT) != SIZE_MAX)
            return true;
    }
    return false;
}

/* What kind of text it is decides which words count, since words of one kind are
 * common in others. */
static const char *find_text(struct tv_str start)
{
    size_t at = 0;
    while (at < start.len && (start.at[at] == ' ' || start.at[at] == '\n' || start.at[at] == '\r' ||
                              start.at[at] == '\t'))
        at++;
    char first = at < start.len ? start.at[at] : '\0';
    if (first == '{' || first == '[')
        return find_word(start, json_words, TV_COUNT_OF(json_words));
    if (first == '<')
        return find_word(start, markup_words, TV_COUNT_OF(markup_words));
    if (is_mapping(start))
        return "a mapping of names (R8, ProGuard), not a method trace: give it together with the "
               "trace of that build (traceview --mapping MAPPING TRACE)";
    return find_word(start, text_words, TV_COUNT_OF(text_words));
}

static const char plain_perfetto[] =
    "a Perfetto trace, not a method trace: open it at ui.perfetto.dev";
static const char compressed_perfetto[] =
    "a Perfetto trace with compressed packets, in which a page cannot look for a method trace: "
    "open "
    "it with the command, traceview FILE, or at ui.perfetto.dev";

enum tv_code tv_foreign_refuse(const uint8_t *bytes, size_t len, struct tv_error *err)
{
    struct tv_str file = {(const char *)bytes, len};
    const char *text = find_magic(file);
    if (!text && tv_perfetto_begins(bytes, len))
        text = tv_perfetto_is_compressed(bytes, len) ? compressed_perfetto : plain_perfetto;
    if (!text)
        text = find_text((struct tv_str){file.at, len < LOOK_LEN ? len : LOOK_LEN});
    return text ? tv_fail(err, TV_ERR_FOREIGN, TV_NO_OFFSET, "%s", text) : TV_OK;
}
