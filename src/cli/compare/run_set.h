/*
 * The runs of one program that a verb compares, one after the other: each is loaded, gives its
 * numbers to the join, and is let go, so that forty large traces take the memory of one.
 */
#ifndef TV_CLI_COMPARE_RUN_SET_H
#define TV_CLI_COMPARE_RUN_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/answers/question.h"
#include "cli/cli.h"
#include "compare/change.h"
#include "compare/comparison.h"
#include "compare/method_join.h"
#include "compare/run_clocks.h"
#include "compare/run_part.h"

/* The clock that all runs have (compare/run_clocks.h), or the one of `asked`, a word of
 * tv_run_clock_words, unless that is NULL. */
enum tv_code tv_run_clock(const struct tv_run_clocks *clocks, const char *asked,
                          enum tv_clock *clock, struct tv_error *err) TV_MUST_CHECK;
/* "inclusive", "exclusive", by enum tv_time_kind; ends with NULL. */
extern const char *const tv_run_kind_words[];
/* The kind that one of these words names; NULL: inclusive time. */
enum tv_time_kind tv_run_kind(const char *asked);

/* Finds a method in the run that is being asked, as tv_question_method does. TV_ERR_ARGUMENT, too:
 * it is not the one that it is in the first run. */
enum tv_code tv_run_method_find(struct tv_run_method *method, struct tv_asking *asking,
                                const char *asked, uint32_t *method_ix,
                                struct tv_error *err) TV_MUST_CHECK;

/* The mapping that named methods of a run of each side which say no id of theirs; NULL: none did.
 */
struct tv_side_mappings {
    const char *of[TV_SIDE_COUNT];
};
/* Takes the mapping of the run that is being asked. */
void tv_side_mappings_take(struct tv_side_mappings *mappings, const struct tv_asking *asking,
                           enum tv_side side);
/* Notes where one mapping named both sides: of two builds with the same short names that is wrong.
 * `old_side` is what the old one is to the user. Returns whether it did. */
bool tv_side_mappings_tell(const struct tv_side_mappings *mappings, const struct tv_cli *cli,
                           const char *old_side);

/* What a run gives to the join. */
struct tv_run_taker {
    /* Takes the numbers of the run that is being asked, and adds them with tv_join_add. */
    enum tv_code (*take)(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err);
    void *ctx;
    bool is_quiet; /* the caller has written the warnings, or will */
    /* By which the first `old_count` runs are read, whose mapping is another one; NULL: as the
     * others are. */
    const struct tv_cli *old_cli;
    size_t old_count;
};

/* Two of the files that are one by their names, or by links: *other is the one before *file. false:
 * there are none. */
bool tv_run_set_find_same(const char *const *files, size_t count, size_t *file, size_t *other);
/* Notes where files of one side are copies of others, byte for byte: each counts as a run, though
 * they are one. */
void tv_run_set_tell_copies(const struct tv_cli *cli, const char *const *files, size_t count);
/* Refuses a file that is given twice: it would be one run that counts as two. Returns a status, and
 * tells which. */
int tv_run_set_check(const struct tv_cli *cli, const char *const *files, size_t count);

/* Loads the files in turn, each as the run of its place. Returns a status, and tells what is wrong.
 * They are checked as above. */
int tv_run_set_load(const struct tv_cli *cli, const char *const *files, size_t count,
                    const struct tv_run_taker *taker);

#endif
