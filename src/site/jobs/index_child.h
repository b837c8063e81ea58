/*
 * The part of a site that reads uploads, and of the viewer that reads files of others: this program
 * once more, as a child in a sandbox (os/sandbox/sandboxed_child.h). It reads one trace from
 * standard input, and mappings of names from the files behind it, writes the trace's saved index
 * (index/saved/saved.h) to standard output, or one line with the reason to standard error, and
 * ends. Nothing else of a site ever parses an upload.
 */
#ifndef TV_SITE_JOBS_INDEX_CHILD_H
#define TV_SITE_JOBS_INDEX_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first argument of the program in this part. The others are those of tv_index_child_words. */
#define TV_INDEX_CHILD_WORD "--index-child"

/* What the child is told; plain numbers. */
struct tv_index_child {
    uint64_t identity[2];   /* that the index is to bear */
    uint64_t unpacked_most; /* bytes that a packed trace may unpack to */
    unsigned thread_count;
    unsigned mapping_count; /* files of mappings, from descriptor 3 on */
    uint64_t names;         /* checksum of the mappings (tv_saved_source.names) */
    bool is_local;   /* of the viewer: bounds and messages are those of a file of the user's */
    bool is_trusted; /* the user trusts the file (--unpack-all) */
    bool tells;      /* progress is written to the file behind the mappings */
};

/* The progress of the child, in a file of this length that parent and child have open. The child
 * may be hostile and write anything there. */
struct tv_index_child_told {
    uint64_t is_reading; /* 0: it unpacks */
    uint64_t done, of;
};

/* Room for its arguments as text. */
#define TV_INDEX_CHILD_WORDS 9u
#define TV_INDEX_CHILD_WORD_CAP 32u
struct tv_index_child_words {
    char of[TV_INDEX_CHILD_WORDS][TV_INDEX_CHILD_WORD_CAP];
    const char *words[TV_INDEX_CHILD_WORDS + 1]; /* ends with NULL; points into `of` */
};

/* Writes the arguments, the program's name first. */
void tv_index_child_words(struct tv_index_child_words *words, const struct tv_index_child *child);

/* The line about names that the child writes to standard error if it was given mappings: "WAY
 * CHOSEN RENAMED ASKED KNOWN", the numbers of enum tv_choice_by and struct tv_mapping_choice. */
#define TV_INDEX_CHILD_NAMES "%u %zu %" PRIu64 " %" PRIu64 " %" PRIu64

/* Whether the program was started as this part. */
bool tv_index_child_is_asked(int word_count, char *const *words);
/* Does the work and ends the process, with a status of os/sandbox/sandboxed_child.h. */
_Noreturn void tv_index_child_run(int word_count, char *const *words);

#endif
