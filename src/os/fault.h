/*
 * A mapped file that somebody shortens while it is read ends the program by a signal; this makes
 * that a message and status 1.
 */
#ifndef TV_OS_FAULT_H
#define TV_OS_FAULT_H

/* For the whole process. */
void tv_fault_explain_shortened_files(void);

#endif
