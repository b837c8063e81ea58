/*
 * Names and places of functions; see os/symbols/symbols.h.
 *
 * Each file is opened once, and its symbol table sorted by address, since libdw would go through
 * all symbols for each address. Sources come from debug information (source_lines.h), names of C++
 * from the C++ library, which is loaded if it is there. A file that cannot be read is remembered,
 * too, so that it is not tried again for each address. Names are of the file that was loaded, or of
 * none: a path may have another one by now. One thread.
 */
#include "os/symbols/symbols.h"

#include <stddef.h>

#ifdef TV_HAS_DW

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/code_file.h"
#include "base/memory/search.h"
#include "base/memory/sort.h"
#include "base/names/rust_name.h"
#include "os/library.h"
#include "os/symbols/libdw.h"
#include "os/symbols/source_lines.h"

#define CXX_LIBRARY "libstdc++.so.6"
#define MODULES_MOST 256u
#define PATH_CAP 4096u
#define NAME_CAP ((size_t)64 * 1024)
#define RUST_NAME_CAP ((size_t)8 * 1024)

/* A function of a symbol table. */
struct function {
    GElf_Addr address, end; /* end: the address itself where the table tells no size */
    const char *name;       /* of the module */
    unsigned binding;       /* of several names at one address the most public one is taken */
};

/* A program or library that was opened. */
struct module {
    char path[PATH_CAP];
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: it cannot be read */
    GElf_Addr bias;
    char code_file[TV_CODE_FILE_CAP]; /* which it is */
    char inode[TV_CODE_FILE_CAP];     /* the same for who found no build id in memory */
    struct function *functions;
    size_t count, cap;
    struct tv_source_lines lines;
};

struct tv_symbols {
    struct tv_libdw libdw;
    void *cxx;
    Dwfl_Callbacks callbacks;
    char *(*demangle)(const char *, char *, size_t *, int *); /* NULL: there is no C++ library */
    char *name;                                               /* the last one, by the C++ library */
    size_t name_cap;
    char rust_name[RUST_NAME_CAP]; /* the last one of Rust */
    struct module *modules[MODULES_MOST];
    size_t module_count;
};

/* libdw and the C++ library are loaded when they are needed. Without the first there are no names,
 * which `why` tells; without the second, names of C++ stay as linkers have them. */
enum tv_code tv_symbols_new(struct tv_symbols **symbols, const char **why, struct tv_error *err)
{
    struct tv_symbols *made;
    *symbols = NULL;
    *why = "libdw (elfutils) is not installed";
    struct tv_libdw libdw;
    if (!tv_libdw_open(&libdw))
        return TV_OK;
    enum tv_code code = tv_alloc_new(tv_alloc_libc(), &made, 1, sizeof(*made), err);
    if (code != TV_OK) {
        tv_libdw_close(&libdw);
        return code;
    }
    made->libdw = libdw;
    made->callbacks = (Dwfl_Callbacks){.find_elf = libdw.dwfl_build_id_find_elf,
                                       .find_debuginfo = libdw.dwfl_standard_find_debuginfo,
                                       .section_address = libdw.dwfl_offline_section_address};
    made->cxx = dlopen(CXX_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (made->cxx && tv_library_find(made->cxx, "__cxa_demangle", &made->demangle)) {
        code = tv_alloc_new(tv_alloc_libc(), &made->name, NAME_CAP, 1, err);
        made->name_cap = NAME_CAP;
    }
    if (code != TV_OK) {
        tv_symbols_free(made);
        return code;
    }
    *symbols = made;
    return TV_OK;
}

void tv_symbols_free(struct tv_symbols *symbols)
{
    if (!symbols)
        return;
    for (size_t i = 0; i < symbols->module_count; i++) {
        struct module *module = symbols->modules[i];
        tv_alloc_release(tv_alloc_libc(), &module->functions, module->cap,
                         sizeof(*module->functions));
        tv_source_lines_release(&module->lines);
        if (module->dwfl)
            symbols->libdw.dwfl_end(module->dwfl);
        tv_alloc_release(tv_alloc_libc(), &symbols->modules[i], 1, sizeof(struct module));
    }
    tv_alloc_release(tv_alloc_libc(), &symbols->name, symbols->name_cap, 1);
    if (symbols->cxx)
        dlclose(symbols->cxx);
    tv_libdw_close(&symbols->libdw);
    tv_alloc_release(tv_alloc_libc(), &symbols, 1, sizeof(*symbols));
}

/* By address; of several names at one address the most public one comes last and is found. */
static int compare_functions(const void *ctx, uint32_t a, uint32_t b)
{
    const struct function *one = (const struct function *)ctx + a;
    const struct function *other = (const struct function *)ctx + b;
    if (one->address != other->address)
        return one->address < other->address ? -1 : 1;
    if (one->binding != other->binding)
        return one->binding < other->binding ? -1 : 1;
    return (a > b) - (a < b);
}

static enum tv_code add_function(struct module *module, const GElf_Sym *symbol, GElf_Addr address,
                                 const char *name)
{
    static const unsigned bindings[] = {[STB_LOCAL] = 0, [STB_WEAK] = 1, [STB_GLOBAL] = 2};
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    unsigned binding = GELF_ST_BIND(symbol->st_info);
    bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
    if (!is_code || symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS || !*name)
        return TV_OK;
    TV_TRY(tv_alloc_grow(tv_alloc_libc(), &module->functions, &module->cap, module->count + 1,
                         sizeof(*module->functions), NULL));
    module->functions[module->count++] =
        (struct function){.address = address,
                          .end = address + symbol->st_size,
                          .name = name,
                          .binding = binding < TV_COUNT_OF(bindings) ? bindings[binding] : 0};
    return TV_OK;
}

/* When memory runs out, the module has the functions that there was memory for. */
static void read_functions(const struct tv_libdw *libdw, struct module *module)
{
    int count = libdw->dwfl_module_getsymtab(module->module);
    enum tv_code code = TV_OK;
    for (int i = 0; i < count && code == TV_OK; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name =
            libdw->dwfl_module_getsym_info(module->module, i, &symbol, &address, NULL, NULL, NULL);
        if (name)
            code = add_function(module, &symbol, address, name);
    }
    if (tv_sort_rows(tv_alloc_libc(), module->functions, module->count, sizeof(*module->functions),
                     compare_functions, module->functions, NULL) != TV_OK)
        module->count = 0;
}

/* The last function that begins at the address or before it, if it reaches the address or its size
 * is not told. */
static const struct function *find_function(const struct module *module, GElf_Addr at)
{
    const struct tv_ascending addresses =
        TV_ASCENDING_FIELD(module->functions, module->count, struct function, address);
    const size_t place = tv_search_containing(addresses, at);
    if (place >= module->count || module->functions[place].address > at)
        return NULL;
    const struct function *found = &module->functions[place];
    return found->end == found->address || at < found->end ? found : NULL;
}

/* A file with the kernel's code, since libdw asks for one; -1: there is none. Its sections end with
 * their table. */
static int open_kernel_code(void)
{
    const void *at =
        (void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT(performance-no-int-to-ptr): an address */
    ElfW(Ehdr) head;
    const int file = at ? memfd_create("vdso", MFD_CLOEXEC) : -1;
    if (file < 0)
        return -1;
    memcpy(&head, at, sizeof(head));
    const size_t len = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
    if (write(file, at, len) == (ssize_t)len)
        return file;
    (void)close(file);
    return -1;
}

static Dwfl_Module *report(struct tv_symbols *symbols, const struct module *module)
{
    char path[64];
    const struct tv_libdw *libdw = &symbols->libdw;
    if (strcmp(module->path, TV_SYMBOLS_KERNEL_CODE) != 0)
        return libdw->dwfl_report_offline(module->dwfl, "", module->path, -1);
    const int file = open_kernel_code();
    if (file < 0)
        return NULL;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    Dwfl_Module *found = libdw->dwfl_report_offline(module->dwfl, "", path, -1);
    (void)close(file);
    return found;
}

static void open_module(struct tv_symbols *symbols, struct module *module)
{
    const struct tv_libdw *libdw = &symbols->libdw;
    module->dwfl = libdw->dwfl_begin(&symbols->callbacks);
    if (!module->dwfl)
        return;
    Dwfl_Module *found = report(symbols, module);
    (void)libdw->dwfl_report_end(module->dwfl, NULL, NULL);
    if (found && libdw->dwfl_module_getelf(found, &module->bias))
        module->module = found;
    if (!module->module)
        return;
    tv_source_lines_init(&module->lines, libdw, found);
    tv_libdw_code_file(libdw, found, module->path, module->code_file);
    tv_libdw_inode(module->path, module->inode);
    read_functions(libdw, module);
}

/* The module of a file, opened at the first question. NULL: there are too many, or no memory. */
static struct module *module_of(struct tv_symbols *symbols, const char *file)
{
    struct module *module;
    for (size_t i = 0; i < symbols->module_count; i++) {
        if (strcmp(symbols->modules[i]->path, file) == 0)
            return symbols->modules[i];
    }
    if (symbols->module_count == MODULES_MOST || strlen(file) >= PATH_CAP ||
        tv_alloc_new(tv_alloc_libc(), &module, 1, sizeof(*module), NULL) != TV_OK)
        return NULL;
    memset(module, 0, sizeof(*module));
    memcpy(module->path, file, strlen(file) + 1);
    open_module(symbols, module);
    symbols->modules[symbols->module_count++] = module;
    return module;
}

static const char *readable_of_rust(struct tv_symbols *symbols, const char *name)
{
    return tv_rust_name_read(name, symbols->rust_name, RUST_NAME_CAP) ? symbols->rust_name : name;
}

/* A name of C++ or Rust as people write it, any other name as it is. The C++ library makes its
 * buffer larger by realloc() if it must. */
static const char *readable(struct tv_symbols *symbols, const char *name)
{
    int status = 0;
    if (strncmp(name, "_R", 2) == 0)
        return readable_of_rust(symbols, name);
    if (!symbols->demangle || strncmp(name, "_Z", 2) != 0)
        return name;
    char *made = symbols->demangle(name, symbols->name, &symbols->name_cap, &status);
    if (!made)
        return name;
    symbols->name = made;
    return readable_of_rust(symbols, made);
}

/* Whether another file than that of the module was loaded. Who has loaded it may not have found the
 * build id that the file has, as in programs that are linked statically. */
static bool is_other(const struct module *module, const char *code_file)
{
    const bool has_build = strncmp(code_file, TV_CODE_FILE_BUILD, strlen(TV_CODE_FILE_BUILD)) == 0;
    const char *own = has_build ? module->code_file : module->inode;
    return *code_file && *own && strcmp(own, code_file) != 0;
}

/* The module of a place, if that is of the file that the module is. */
static struct module *find_module(struct tv_symbols *symbols, const struct tv_symbol_place *place,
                                  bool *is_replaced)
{
    struct module *module = module_of(symbols, place->file);
    *is_replaced = module && module->module && is_other(module, place->code_file);
    return module && module->module && !*is_replaced ? module : NULL;
}

bool tv_symbols_find(struct tv_symbols *symbols, const struct tv_symbol_place *place,
                     struct tv_symbol *symbol)
{
    *symbol = (struct tv_symbol){.name = NULL};
    struct module *module = find_module(symbols, place, &symbol->is_replaced);
    if (!module)
        return false;
    const GElf_Addr at = place->address + module->bias;
    const struct function *function = find_function(module, at);
    if (!function)
        return false;
    const struct tv_source_line declared =
        tv_source_lines_function(&module->lines, function->address);
    *symbol = (struct tv_symbol){.name = readable(symbols, function->name),
                                 .source = declared.source,
                                 .line = declared.line,
                                 .offset = at - function->address};
    return true;
}

bool tv_symbols_find_line(struct tv_symbols *symbols, const struct tv_symbol_place *place,
                          const char **source, int *line)
{
    bool is_replaced;
    struct module *module = find_module(symbols, place, &is_replaced);
    if (!module)
        return false;
    const struct tv_source_line found =
        tv_source_lines_at(&module->lines, place->address + module->bias);
    *source = found.source;
    *line = found.line;
    return found.source && found.line > 0;
}

#else

enum tv_code tv_symbols_new(struct tv_symbols **symbols, const char **why, struct tv_error *err)
{
    (void)err;
    *symbols = NULL;
    *why = "traceview was built without libdw: scripts/install build, then make build";
    return TV_OK;
}

void tv_symbols_free(struct tv_symbols *symbols)
{
    (void)symbols;
}

bool tv_symbols_find(struct tv_symbols *symbols, const struct tv_symbol_place *place,
                     struct tv_symbol *symbol)
{
    (void)symbols;
    (void)place;
    *symbol = (struct tv_symbol){.name = NULL};
    return false;
}

bool tv_symbols_find_line(struct tv_symbols *symbols, const struct tv_symbol_place *place,
                          const char **source, int *line)
{
    (void)symbols;
    (void)place;
    (void)source;
    (void)line;
    return false;
}

#endif
