/* What a process that crashes leaves of its memory. */
#ifndef TV_OS_PROCESS_CORE_FILE_H
#define TV_OS_PROCESS_CORE_FILE_H

/* From now on a crash writes no core file, and gives no program that collects such files any
 * memory; nor may other processes of the user read it. Those that this one starts are not meant. */
void tv_core_file_forbid(void);

#endif
