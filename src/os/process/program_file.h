/* The file of a program: where it is, and who loads it. */
#ifndef TV_OS_PROCESS_PROGRAM_FILE_H
#define TV_OS_PROCESS_PROGRAM_FILE_H

#include <stdbool.h>

#include "os/file/paths.h"

/* The file that execvp() would take. */
bool tv_program_file(const char *program, char path[TV_PATH_CAP]);

/* The name of the loader that a program of ELF asks for, without its folder, such as
 * ld-linux-x86-64.so.2; "" for one that is linked statically, or no such file of this machine. */
#define TV_LOADER_NAME_CAP 64u
void tv_program_file_loader(const char *path, char name[TV_LOADER_NAME_CAP]);

/* Whether a text stands anywhere in the file, as the names of the functions do that a program asks
 * libraries for. False also where the file cannot be read. */
bool tv_program_file_has(const char *path, const char *text);

#endif
