/* Guards against standard input, output or error being closed when the program starts. */
#ifndef TV_OS_STANDARD_FILES_H
#define TV_OS_STANDARD_FILES_H

/* Opens /dev/null in place of each standard file that is closed. Otherwise the next file or socket
 * that is opened would get its number, and with it all that is meant for people. Using the standard
 * file fails as it would have. Must be called before anything else in the process. */
void tv_standard_files_reserve(void);

#endif
