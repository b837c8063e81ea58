/*
 * Where functions and instructions are in the source; see os/symbols/source_lines.h.
 *
 * The line table gives the line of a function's first instruction, but if another function is
 * inlined there, that is a line of the other function. So functions are looked up among the entries
 * of the debug information. The units themselves tell which unit has an address: not every compiler
 * writes a table of addresses (.debug_aranges); clang does not.
 */
#include "os/symbols/source_lines.h"

#include <dwarf.h>
#include <string.h>

#include "base/alloc.h"
#include "base/memory/search.h"
#include "base/memory/sort.h"

/* Addresses of a unit, or of a function; the same where code was left out by the linker. */
struct tv_source_range {
    Dwarf_Addr begin, end;
    size_t of; /* ordinal of the unit, or of the function */
};

struct tv_source_unit {
    Dwarf_Die *entry;
    Dwarf_Addr bias;
    bool is_read;
    Dwarf_Die *functions;
    size_t function_count, function_cap;
    struct tv_source_range *ranges; /* of the functions, by address */
    size_t range_count, range_cap;
};

void tv_source_lines_init(struct tv_source_lines *lines, const struct tv_libdw *libdw,
                          Dwfl_Module *module)
{
    *lines = (struct tv_source_lines){.libdw = libdw, .module = module};
}

void tv_source_lines_release(struct tv_source_lines *lines)
{
    const struct tv_alloc *alloc = tv_alloc_libc();
    for (size_t i = 0; i < lines->unit_count; i++) {
        struct tv_source_unit *unit = &lines->units[i];
        tv_alloc_release(alloc, &unit->functions, unit->function_cap, sizeof(*unit->functions));
        tv_alloc_release(alloc, &unit->ranges, unit->range_cap, sizeof(*unit->ranges));
    }
    tv_alloc_release(alloc, &lines->units, lines->unit_cap, sizeof(*lines->units));
    tv_alloc_release(alloc, &lines->ranges, lines->range_cap, sizeof(*lines->ranges));
    tv_source_lines_init(lines, lines->libdw, lines->module);
}

/* Adds the addresses of an entry. */
static enum tv_code add_ranges(const struct tv_libdw *libdw, Dwarf_Die *entry, size_t of,
                               struct tv_source_range **ranges, size_t *count, size_t *cap)
{
    Dwarf_Addr base, begin, end;
    ptrdiff_t at = 0;
    while ((at = libdw->dwarf_ranges(entry, at, &base, &begin, &end)) > 0) {
        if (begin >= end)
            continue;
        TV_TRY(tv_alloc_grow(tv_alloc_libc(), ranges, cap, *count + 1, sizeof(**ranges), NULL));
        (*ranges)[(*count)++] = (struct tv_source_range){.begin = begin, .end = end, .of = of};
    }
    return TV_OK;
}

static int compare_ranges(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_source_range *one = (const struct tv_source_range *)ctx + a;
    const struct tv_source_range *other = (const struct tv_source_range *)ctx + b;
    if (one->begin != other->begin)
        return one->begin < other->begin ? -1 : 1;
    return (a > b) - (a < b);
}

static enum tv_code sort_ranges(struct tv_source_range *ranges, size_t count)
{
    return tv_sort_rows(tv_alloc_libc(), ranges, count, sizeof(*ranges), compare_ranges, ranges,
                        NULL);
}

/* The last range that begins at the address or before it, if it reaches the address. */
static const struct tv_source_range *find_range(const struct tv_source_range *ranges, size_t count,
                                                Dwarf_Addr at)
{
    const size_t place =
        tv_search_containing(TV_ASCENDING_FIELD(ranges, count, struct tv_source_range, begin), at);
    return place < count && ranges[place].begin <= at && at < ranges[place].end ? &ranges[place]
                                                                                : NULL;
}

static enum tv_code read_units(struct tv_source_lines *lines)
{
    const struct tv_libdw *libdw = lines->libdw;
    Dwarf_Addr bias;
    for (Dwarf_Die *entry = NULL;
         (entry = libdw->dwfl_module_nextcu(lines->module, entry, &bias)) != NULL;) {
        TV_TRY(tv_alloc_grow(tv_alloc_libc(), &lines->units, &lines->unit_cap,
                             lines->unit_count + 1, sizeof(*lines->units), NULL));
        lines->units[lines->unit_count++] = (struct tv_source_unit){.entry = entry, .bias = bias};
        TV_TRY(add_ranges(libdw, entry, lines->unit_count - 1, &lines->ranges, &lines->range_count,
                          &lines->range_cap));
    }
    return sort_ranges(lines->ranges, lines->range_count);
}

/* The unit that has an address; NULL: none has it, or memory ran out. */
static struct tv_source_unit *find_unit(struct tv_source_lines *lines, Dwarf_Addr at)
{
    if (!lines->is_read && read_units(lines) != TV_OK)
        lines->range_count = 0;
    lines->is_read = true;
    if (!lines->unit_count)
        return NULL;
    const struct tv_source_range *range =
        find_range(lines->ranges, lines->range_count, at - lines->units[0].bias);
    return range ? &lines->units[range->of] : NULL;
}

/* For dwarf_getfuncs(). */
struct functions {
    const struct tv_libdw *libdw;
    struct tv_source_unit *unit;
    enum tv_code code;
};

static int take_function(Dwarf_Die *entry, void *of)
{
    struct functions *functions = of;
    struct tv_source_unit *unit = functions->unit;
    const size_t before = unit->range_count;
    functions->code = add_ranges(functions->libdw, entry, unit->function_count, &unit->ranges,
                                 &unit->range_count, &unit->range_cap);
    if (functions->code == TV_OK && unit->range_count > before)
        functions->code = tv_alloc_grow(tv_alloc_libc(), &unit->functions, &unit->function_cap,
                                        unit->function_count + 1, sizeof(*unit->functions), NULL);
    if (functions->code == TV_OK && unit->range_count > before)
        unit->functions[unit->function_count++] = *entry;
    return functions->code == TV_OK ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/* The entries of a unit may stand in a file of its own (-gsplit-dwarf). */
static void read_functions(const struct tv_libdw *libdw, struct tv_source_unit *unit)
{
    Dwarf_Die split;
    struct functions functions = {.libdw = libdw, .unit = unit};
    memset(&split, 0, sizeof(split));
    const bool is_split =
        libdw->dwarf_cu_info(unit->entry->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 &&
        split.addr;
    (void)libdw->dwarf_getfuncs(is_split ? &split : unit->entry, take_function, &functions, 0);
    if (functions.code != TV_OK || sort_ranges(unit->ranges, unit->range_count) != TV_OK)
        unit->range_count = 0;
}

/* The file that declares a function. dwarf_decl_file() would end the program where a unit has no
 * table of its files. */
static const char *declaring_file(const struct tv_libdw *libdw, Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word number;
    size_t count;
    memset(&unit, 0, sizeof(unit));
    if (!libdw->dwarf_attr_integrate(function, DW_AT_decl_file, &attribute) ||
        libdw->dwarf_formudata(&attribute, &number) != 0 ||
        libdw->dwarf_cu_info(attribute.cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
        !unit.addr || libdw->dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count)
        return NULL;
    return libdw->dwarf_filesrc(files, number, NULL, NULL);
}

struct tv_source_line tv_source_lines_at(struct tv_source_lines *lines, Dwarf_Addr at)
{
    const struct tv_libdw *libdw = lines->libdw;
    const struct tv_source_unit *unit = find_unit(lines, at);
    struct tv_source_line found = {.source = NULL};
    Dwarf_Line *line = unit ? libdw->dwarf_getsrc_die(unit->entry, at - unit->bias) : NULL;
    if (line && libdw->dwarf_lineno(line, &found.line) == 0)
        found.source = libdw->dwarf_linesrc(line, NULL, NULL);
    return found;
}

struct tv_source_line tv_source_lines_function(struct tv_source_lines *lines, Dwarf_Addr at)
{
    const struct tv_libdw *libdw = lines->libdw;
    struct tv_source_unit *unit = find_unit(lines, at);
    struct tv_source_line found = {.source = NULL};
    if (!unit)
        return found;
    if (!unit->is_read)
        read_functions(libdw, unit);
    unit->is_read = true;
    const struct tv_source_range *range =
        find_range(unit->ranges, unit->range_count, at - unit->bias);
    if (range)
        found.source = declaring_file(libdw, &unit->functions[range->of]);
    if (!found.source)
        return tv_source_lines_at(lines, at);
    (void)libdw->dwarf_decl_line(&unit->functions[range->of], &found.line);
    return found;
}
