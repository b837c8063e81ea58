/*
 * Writes what a ring holds while the recording goes on. A signal asks for it; a thread of the
 * recorder's own writes a file for each time, beside that of the recording: "app.trace.dump-1" and
 * so on. It is there as a whole or not at all.
 */
#ifndef TV_RECORD_DUMP_H
#define TV_RECORD_DUMP_H

/* Begins to wait for the signal, unless the program has a use for it. Under the lock of cold.h. */
void tv_dump_begin(void);
/* Asks for a dump, as the signal does; any thread of a program that records into a ring. */
void tv_dump_ask(void);
/* Ends that. */
void tv_dump_end(void);
/* In the child of a fork, which has no such thread. */
void tv_dump_after_fork(void);

#endif
