/*
 * Findings: what was odd in a file and survived (docs/numbers.md, "Findings").
 *
 * Kinds, severities, units and sentences come from one list. A count is exact; an offset is the
 * smallest at which the kind was met, in the unpacked and joined bytes. Adding is for one thread at
 * a time.
 */
#ifndef TV_BASE_FINDING_H
#define TV_BASE_FINDING_H

#include <stdint.h>

#include "base/error.h"

enum tv_severity { TV_SEVERITY_NOTE, TV_SEVERITY_NUMBERS_AFFECTED, TV_SEVERITY_DATA_LOST };

/* X(kind, name, severity, sentence). In a sentence, %s stands for the count with its unit's plural.
 */
#define TV_FINDINGS(X)                                                                             \
    X(PACKED_CUT, "packed_cut", DATA_LOST,                                                         \
      "The packed file ends early; only what came before its end was read.")                       \
    X(TRUNCATED_RECORD, "truncated_record", DATA_LOST,                                             \
      "The file ends inside a record; everything before it was read.")                             \
    X(TRAILING_BYTES, "trailing_bytes", NOTE,                                                      \
      "Bytes after the last record were left out; they hold no records.")                          \
    X(ANOTHER_TRACE, "another_trace", DATA_LOST,                                                   \
      "Another trace follows in the file, as of files that were joined; only the first was read.") \
    X(MISSING_RECORDS, "missing_records", DATA_LOST,                                               \
      "The header counts more records than the file holds; the rest was never written.")           \
    X(OVERFLOW, "overflow", DATA_LOST,                                                             \
      "The recording buffer filled up; what happened afterwards is not in the file.")              \
    X(SIZE_LIMIT, "size_limit", DATA_LOST,                                                         \
      "The recording reached the size that it was allowed; what happened afterwards is not in "    \
      "the file.")                                                                                 \
    X(RECORDING_CUT, "recording_cut", DATA_LOST,                                                   \
      "The recording was broken off, as by SIGKILL or a full disk: the last records of each "      \
      "thread, or all since then, are not in the file.")                                           \
    X(RECORDS_LOST, "records_lost", DATA_LOST,                                                     \
      "Records could not be kept while the program ran, as of a thread for which there was no "    \
      "memory or no number, or while another profiler had Python's hook: enters and exits are "    \
      "missing.")                                                                                  \
    X(MISSING_END, "missing_end", NUMBERS_AFFECTED,                                                \
      "The text section has no *end line; records were read from the first data header found.")    \
    X(NO_SUMMARY, "no_summary", DATA_LOST,                                                         \
      "The stream was never finished, or the .sec file of an old Android is not beside it: what "  \
      "came last may be missing, and clock and durations are inferred.")                           \
    X(SOURCE_LOST, "source_lost", DATA_LOST,                                                       \
      "The recording that this file was made from had lost data: its property source-findings "    \
      "names how.")                                                                                \
    X(VERSION_MISMATCH, "version_mismatch", NOTE,                                                  \
      "The text section names another version than the data; the data was believed.")              \
    X(UNIT_SUSPECT, "unit_suspect", NUMBERS_AFFECTED,                                              \
      "Wall times look a thousand times too small: some Android 16 builds wrote them in the "      \
      "wrong unit.")                                                                               \
    X(CPU_CLOCK_IDLE, "cpu_clock_idle", NOTE,                                                      \
      "The CPU clock never moves: no call took any CPU time, so wall time is shown first.")        \
    X(BAD_LINE, "bad_line", NOTE,                                                                  \
      "Lines of the text section could not be read as what they "                                  \
      "should be.")                                                                                \
    X(DUPLICATE_THREAD, "duplicate_thread", NOTE,                                                  \
      "Thread ids are listed with different names; the later name was kept.")                      \
    X(UNKNOWN_THREAD, "unknown_thread", NOTE,                                                      \
      "Threads occur in records but not in the list of "                                           \
      "threads.")                                                                                  \
    X(CUT_THREAD_ID, "cut_thread_id", NOTE,                                                        \
      "Threads have ids that are too large for records; records that have their low bits were "    \
      "taken for theirs.")                                                                         \
    X(CLOCK_WRAPPED, "clock_wrapped", NOTE,                                                        \
      "Threads ran past the 71 minutes that a 32-bit clock can count; times were unwrapped.")      \
    X(CLOCK_BACKWARDS, "clock_backwards", NUMBERS_AFFECTED,                                        \
      "Threads have wall clocks that step back; times were raised to the highest seen before.")    \
    X(CPU_CLOCK_BACKWARDS, "cpu_clock_backwards", NUMBERS_AFFECTED,                                \
      "Threads have CPU clocks that step back; times were raised to the highest seen before.")     \
    X(CLOCK_TOO_FAR, "clock_too_far", NUMBERS_AFFECTED,                                            \
      "Threads have times too large to be added up over all threads; they were lowered.")          \
    X(DUPLICATE_METHOD, "duplicate_method", NOTE,                                                  \
      "Method ids are described twice and differently; the later description was kept.")           \
    X(AMBIGUOUS_NAME, "ambiguous_name", NOTE,                                                      \
      "Methods have a name that the mapping gives to several methods; all of them are shown.")     \
    X(GUESSED_NAME, "guessed_name", NOTE,                                                          \
      "Methods have a name by their short one alone: the mapping has it with another signature.")  \
    X(MAPPING_LINE, "mapping_line", NOTE, "Lines of the mapping could not be read.")               \
    X(UNKNOWN_METHOD, "unknown_method", NOTE, "Methods occur in records but are not described.")   \
    X(EXIT_CLOSED_OTHERS, "exit_closed_others", NUMBERS_AFFECTED,                                  \
      "Exits of a method deeper in the stack closed the calls above it at the same time.")         \
    X(EXIT_WITHOUT_ENTER, "exit_without_enter", NOTE,                                              \
      "Calls began before tracing did; they start at their thread's first record.")                \
    X(EXIT_NOT_ON_STACK, "exit_not_on_stack", NUMBERS_AFFECTED,                                    \
      "Exits of methods that were not being executed were left out.")                              \
    X(OPEN_AT_END, "open_at_end", NOTE, "Calls were still open when tracing stopped.")             \
    X(RESERVED_ACTION, "reserved_action", NUMBERS_AFFECTED,                                        \
      "Records with the reserved action 3 were left out.")                                         \
    X(THREAD_ZERO, "thread_zero", NUMBERS_AFFECTED,                                                \
      "Records name thread 0, which no writer uses; it was kept as a thread.")                     \
    X(EMPTY_RECORD, "empty_record", DATA_LOST,                                                     \
      "Records are all zero: reserved, but never written, so enters and exits are missing.")

#define TV_FINDING_KIND(kind, name, severity, text) TV_FINDING_##kind,
enum tv_finding_kind { TV_FINDINGS(TV_FINDING_KIND) TV_FINDING_KIND_COUNT };
#undef TV_FINDING_KIND

struct tv_finding {
    uint64_t count;  /* 0: not met */
    uint64_t offset; /* of the first byte concerned; TV_NO_OFFSET where there is none */
};

/* One slot per kind. */
struct tv_findings {
    struct tv_finding of[TV_FINDING_KIND_COUNT];
};

/* Static text: "overflow", the sentence, "note" | "numbers affected" | "data lost". */
const char *tv_finding_name(enum tv_finding_kind kind);
const char *tv_finding_text(enum tv_finding_kind kind);
enum tv_severity tv_finding_severity(enum tv_finding_kind kind);
const char *tv_severity_name(enum tv_severity severity);

void tv_findings_init(struct tv_findings *findings);
/* Adds `count` (0 adds nothing) and keeps the smallest offset. */
void tv_findings_add(struct tv_findings *findings, enum tv_finding_kind kind, uint64_t count,
                     uint64_t offset);
/* Adds all of `from`. */
void tv_findings_join(struct tv_findings *findings, const struct tv_findings *from);

#endif
