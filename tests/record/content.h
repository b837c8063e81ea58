/* What a recording left, for the tests of the recorder. */
#ifndef TESTS_RECORD_CONTENT_H
#define TESTS_RECORD_CONTENT_H

#include <stdint.h>

/* Of a group of tests: a folder for its files, gone afterwards. */
int make_folder(void **state);
int remove_folder(void **state);
/* The path of a file there, until the next call. */
const char *in_folder(const char *name);

/* What a version 3 file holds. */
struct content {
    char text[16384]; /* the text section, as far as that goes */
    uint64_t records, enters, exits, unwinds;
    uint64_t falls; /* of the wall or CPU clock, within a thread */
    unsigned most_thread;
    uint32_t last_wall_us, last_cpu_us; /* of the last record */
};

/* Reads a file of the folder. */
struct content read_file(const char *name);

#endif
