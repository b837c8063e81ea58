/*
 * Writes what a ring holds while the recording goes on. A signal asks for it; a thread of the
 * recorder's own then writes one file beside the recording: "app.trace.dump-1" for the first
 * signal, and so on. A file is complete or absent.
 */
#ifndef TV_RECORD_DUMP_H
#define TV_RECORD_DUMP_H

/* Begins to wait for the signal, unless the program has a use for it. Under the lock of cold.h. */
void tv_dump_begin(void);
/* Asks for a dump, as the signal does; any thread of a program that records into a ring. */
void tv_dump_ask(void);
/* Stops waiting for the signal. */
void tv_dump_end(void);
/* To be called in the child of a fork, where the thread that writes dumps does not exist. */
void tv_dump_after_fork(void);

#endif
