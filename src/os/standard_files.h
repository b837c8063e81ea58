/* Standard input, output and error that were closed before the program began. */
#ifndef TV_OS_STANDARD_FILES_H
#define TV_OS_STANDARD_FILES_H

/*
 * Takes the places of those that are closed, so that no file or socket that is opened later gets
 * them and with them what is meant for people. Using them fails as it would have. First of all in
 * a process.
 */
void tv_standard_files_reserve(void);

#endif
