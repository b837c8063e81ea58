/*
 * libdw (elfutils), which knows what is in compiled programs. It is loaded when it is used, since
 * most who have traceview never need it. Whoever includes this was built with libdw's headers
 * (TV_HAS_DW).
 */
#ifndef TV_OS_SYMBOLS_LIBDW_H
#define TV_OS_SYMBOLS_LIBDW_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "base/code_file.h"

/* The functions of libdw that are used: X(result, name, arguments). */
#define TV_LIBDW_FUNCTIONS(X)                                                                      \
    X(Dwfl *, dwfl_begin, (const Dwfl_Callbacks *))                                                \
    X(void, dwfl_end, (Dwfl *))                                                                    \
    X(Dwfl_Module *, dwfl_report_offline, (Dwfl *, const char *, const char *, int))               \
    X(int, dwfl_report_end,                                                                        \
      (Dwfl *, int (*)(Dwfl_Module *, void *, const char *, Dwarf_Addr, void *), void *))          \
    X(int, dwfl_linux_proc_report, (Dwfl *, pid_t))                                                \
    X(int, dwfl_linux_proc_attach, (Dwfl *, pid_t, bool))                                          \
    X(bool, dwfl_attach_state, (Dwfl *, Elf *, pid_t, const Dwfl_Thread_Callbacks *, void *))      \
    X(bool, dwfl_thread_state_registers, (Dwfl_Thread *, int, unsigned, const Dwarf_Word *))       \
    X(pid_t, dwfl_thread_tid, (Dwfl_Thread *))                                                     \
    X(int, dwfl_getthread_frames, (Dwfl *, pid_t, int (*)(Dwfl_Frame *, void *), void *))          \
    X(bool, dwfl_frame_pc, (Dwfl_Frame *, Dwarf_Addr *, bool *))                                   \
    X(Dwfl_Module *, dwfl_addrmodule, (Dwfl *, Dwarf_Addr))                                        \
    X(Elf *, dwfl_module_getelf, (Dwfl_Module *, GElf_Addr *))                                     \
    X(const char *, dwfl_module_info,                                                              \
      (Dwfl_Module *, void ***, Dwarf_Addr *, Dwarf_Addr *, Dwarf_Addr *, Dwarf_Addr *,            \
       const char **, const char **))                                                              \
    X(int, dwfl_module_build_id, (Dwfl_Module *, const unsigned char **, GElf_Addr *))             \
    X(int, dwfl_module_getsymtab, (Dwfl_Module *))                                                 \
    X(const char *, dwfl_module_getsym_info,                                                       \
      (Dwfl_Module *, int, GElf_Sym *, GElf_Addr *, GElf_Word *, Elf **, Dwarf_Addr *))            \
    X(Dwarf_Die *, dwfl_module_nextcu, (Dwfl_Module *, Dwarf_Die *, Dwarf_Addr *))                 \
    X(int, dwarf_cu_info,                                                                          \
      (Dwarf_CU *, Dwarf_Half *, uint8_t *, Dwarf_Die *, Dwarf_Die *, uint64_t *, uint8_t *,       \
       uint8_t *))                                                                                 \
    X(ptrdiff_t, dwarf_ranges, (Dwarf_Die *, ptrdiff_t, Dwarf_Addr *, Dwarf_Addr *, Dwarf_Addr *)) \
    X(ptrdiff_t, dwarf_getfuncs, (Dwarf_Die *, int (*)(Dwarf_Die *, void *), void *, ptrdiff_t))   \
    X(Dwarf_Attribute *, dwarf_attr_integrate, (Dwarf_Die *, unsigned, Dwarf_Attribute *))         \
    X(int, dwarf_formudata, (Dwarf_Attribute *, Dwarf_Word *))                                     \
    X(int, dwarf_getsrcfiles, (Dwarf_Die *, Dwarf_Files **, size_t *))                             \
    X(const char *, dwarf_filesrc, (Dwarf_Files *, size_t, Dwarf_Word *, Dwarf_Word *))            \
    X(int, dwarf_decl_line, (Dwarf_Die *, int *))                                                  \
    X(Dwarf_Line *, dwarf_getsrc_die, (Dwarf_Die *, Dwarf_Addr))                                   \
    X(const char *, dwarf_linesrc, (Dwarf_Line *, Dwarf_Word *, Dwarf_Word *))                     \
    X(int, dwarf_lineno, (Dwarf_Line *, int *))                                                    \
    X(int, dwfl_build_id_find_elf,                                                                 \
      (Dwfl_Module *, void **, const char *, Dwarf_Addr, char **, Elf **))                         \
    X(int, dwfl_linux_proc_find_elf,                                                               \
      (Dwfl_Module *, void **, const char *, Dwarf_Addr, char **, Elf **))                         \
    X(int, dwfl_standard_find_debuginfo,                                                           \
      (Dwfl_Module *, void **, const char *, Dwarf_Addr, const char *, const char *, GElf_Word,    \
       char **))                                                                                   \
    X(int, dwfl_offline_section_address,                                                           \
      (Dwfl_Module *, void **, const char *, Dwarf_Addr, const char *, GElf_Word,                  \
       const GElf_Shdr *, Dwarf_Addr *))

#define TV_LIBDW_FIELD(result, name, arguments) result(*name) arguments;
struct tv_libdw {
    void *handle;
    TV_LIBDW_FUNCTIONS(TV_LIBDW_FIELD)
};
#undef TV_LIBDW_FIELD

/* False: it is not installed, or lacks a function; then nothing is to be closed. */
bool tv_libdw_open(struct tv_libdw *libdw);
void tv_libdw_close(struct tv_libdw *libdw);

/* What the file system says of a file that has no build id; "": nothing. */
void tv_libdw_inode(const char *path, char text[TV_CODE_FILE_CAP]);
/* Which file a module is whose ELF file is known; "": nothing tells. */
void tv_libdw_code_file(const struct tv_libdw *libdw, Dwfl_Module *module, const char *path,
                        char text[TV_CODE_FILE_CAP]);

#endif
