/*
 * The call lockfile: a sorted text file of methods and how often each was called, made to be
 * committed beside the source (docs/compare.md has the format).
 *
 *     traceview counts 1
 *     # ...
 *     runs 5
 *     mine com.example.
 *
 *     12	com.example.Foo.load (I)V
 *     3..7	com.example.Foo.poll ()V
 *
 * A count comes first and ends with a tab, and a name has neither tab nor line end: in a name
 * these, a backslash, what a terminal would obey and bytes that are no text are escaped. So no name
 * can make a line, and two names never have one line. A range is a method whose count differed
 * between the runs. "0+" or "12+" is a method that a mapping says was inlined into methods that
 * were called: it ran more often, and how often is not known.
 */
#ifndef TV_COMPARE_CALL_LOCK_H
#define TV_COMPARE_CALL_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/sink.h"
#include "base/str.h"
#include "compare/method_join.h"

/* A longer file is refused. */
#define TV_LOCK_MOST (64u << 20)

/* How often a method was called, the least and the most over all runs: equal where it is stable. */
struct tv_lock_line {
    struct tv_str name; /* escaped */
    uint64_t least;
    uint64_t most;
    bool is_inlined; /* a mapping says so: it ran inside others, too, which no count tells */
};

/* What the counts are of: the texts of options, escaped; empty where an option was not given. */
struct tv_lock_subject {
    struct tv_str mine;
    struct tv_str from; /* of --between */
    struct tv_str until;
    struct tv_str per;
    /* The id of the build that the methods have short names of; empty: they have those of their
     * source, as far as is known. */
    struct tv_str short_names;
};

struct tv_call_lock {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    struct tv_lock_line *lines; /* by name, bytewise */
    size_t count, cap;
    uint64_t runs;
    size_t merged_count; /* names that stand for several methods; a note */
    struct tv_lock_subject subject;
};

void tv_call_lock_init(struct tv_call_lock *lock, const struct tv_alloc *alloc);
void tv_call_lock_release(struct tv_call_lock *lock);
/* Makes a lock of runs that were joined; their rows have the counts. `inlined` has the methods of
 * tv_join_add_inlined. The subject's texts are as the user gave them. */
enum tv_code tv_call_lock_of_join(struct tv_call_lock *lock, const struct tv_join *join,
                                  const struct tv_join *inlined,
                                  const struct tv_lock_subject *subject,
                                  struct tv_error *err) TV_MUST_CHECK;
/* TV_ERR_UNSUPPORTED: the lock is of no method, which could never differ, and says why. */
enum tv_code tv_call_lock_check(const struct tv_call_lock *lock,
                                struct tv_error *err) TV_MUST_CHECK;
/* TV_ERR_UNSUPPORTED: one of both has short names of a build that the other has not, so that the
 * methods of one name are others. */
enum tv_code tv_call_locks_match(const struct tv_call_lock *locked, const struct tv_call_lock *runs,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Reads a lockfile, which may be any bytes and must outlive the lock. TV_ERR_FORMAT names the line;
 * a line that git leaves in a conflict is reported as such. */
enum tv_code tv_call_lock_read(struct tv_call_lock *lock, struct tv_str text,
                               struct tv_error *err) TV_MUST_CHECK;
/* Writes the file. */
enum tv_code tv_call_lock_write(const struct tv_call_lock *lock, struct tv_sink sink,
                                struct tv_error *err) TV_MUST_CHECK;
/* The text that was escaped, into `out`; what is no escape stays. */
enum tv_code tv_lock_unescape(struct tv_str text, struct tv_buffer *out,
                              struct tv_error *err) TV_MUST_CHECK;

/* How a method stands beside the lock. */
enum tv_lock_change {
    TV_LOCK_SAME,
    TV_LOCK_CHANGED,
    TV_LOCK_NEW,  /* the lock has no line for the method */
    TV_LOCK_GONE, /* it was not called */
    /* Out of the range of an unstable method, by no more than the range is wide: told, but no
     * change, since the lock's runs were a few of many. */
    TV_LOCK_STRAY,
    /* Undecided: the counts differ, and the side that has fewer calls says that the method was
     * inlined there. */
    TV_LOCK_INLINED,
};

/* Compares two lines of one method; NULL: the lock, or the run, has none. */
enum tv_lock_change tv_lock_compare(const struct tv_lock_line *locked,
                                    const struct tv_lock_line *run);

#endif
