/*
 * Names of recorded functions; see cli/record/record_names.h.
 *
 * A function of C has no class, and a trace needs one to group by: the scope of a C++ name serves
 * where there is one, else the source file, else the program or library. So the same names come out
 * for instrumented and for sampled programs.
 */
#include "cli/record/record_names.h"

#include "base/names/function_name.h"
#include "base/str.h"

/* A source file without its ending serves as the class, so that a ".cc" and its ".h" are one group.
 */
enum tv_code tv_record_name(struct tv_arena *texts, const struct tv_symbol *symbol,
                            const char *module, struct tv_trace_method *method,
                            struct tv_error *err)
{
    struct tv_function_name parts = tv_function_name_part(tv_str_from(symbol->name));
    struct tv_str source = tv_str_file_name(tv_str_from(symbol->source ? symbol->source : ""));
    struct tv_str scope = parts.scope;
    if (!scope.len) {
        scope = source.len ? source : tv_str_file_name(tv_str_from(module));
        size_t end = tv_str_find(scope, TV_STR("."), TV_CASE_EXACT);
        scope.len = source.len && end != SIZE_MAX ? end : scope.len;
    }
    TV_TRY(tv_arena_keep(texts, scope, &method->class_name, err));
    TV_TRY(tv_arena_keep(texts, parts.name, &method->name, err));
    TV_TRY(tv_arena_keep(texts, parts.signature.len ? parts.signature : TV_STR("()"),
                         &method->signature, err));
    method->line = symbol->line;
    return tv_arena_keep(texts, source, &method->file, err);
}

enum tv_code tv_record_count_nameless(struct tv_record_nameless *nameless, struct tv_arena *texts,
                                      const struct tv_symbol *symbol, struct tv_str path,
                                      struct tv_error *err)
{
    if (!symbol->is_replaced) {
        nameless->count++;
        return TV_OK;
    }
    nameless->replaced++;
    return nameless->replaced_file.len ? TV_OK
                                       : tv_arena_keep(texts, path, &nameless->replaced_file, err);
}
