/* The table of verbs. A new verb is a file verb_<name>.c, a declaration in cli/verb.h, and a line
 * here. */
#include "cli/verb.h"

/* One a line, so that two that are added at the same time do not meet. As WebAssembly
 * (cli/wasi/program.c) there are no programs, devices and sockets, and no index is saved. */
/* clang-format off */
const struct tv_verb *const tv_verbs[] = {
    &tv_verb_view,
    &tv_verb_info,
    &tv_verb_insights,
    &tv_verb_frames,
    &tv_verb_top,
    &tv_verb_tree,
    &tv_verb_callers,
    &tv_verb_flame,
    &tv_verb_check,
    &tv_verb_counts,
    &tv_verb_diff,
    &tv_verb_rules,
    &tv_verb_trend,
    &tv_verb_ci,
    &tv_verb_convert,
    &tv_verb_export,
    &tv_verb_query,
    &tv_verb_report,
#ifndef __wasi__
    &tv_verb_record,
    &tv_verb_devices,
    &tv_verb_processes,
    &tv_verb_pull,
#endif
    &tv_verb_join,
#ifndef __wasi__
    &tv_verb_index,
#endif
    &tv_verb_names,
#ifndef __wasi__
    &tv_verb_serve,
    &tv_verb_store,
    &tv_verb_push,
    &tv_verb_open,
    &tv_verb_fleet,
#endif
    &tv_verb_dmtracedump,
    &tv_verb_regression,
    NULL,
};
/* clang-format on */

/* The lists are looked through in this order, so an option of the verb itself comes before a shared
 * one of the same name. */
struct tv_option_lists tv_verb_options(const struct tv_verb *verb)
{
    static const struct tv_option_list none = {NULL, 0};
    return (struct tv_option_lists){
        .of = {verb->options, verb->names_methods ? tv_name_options : none,
               verb->prints_tables ? tv_layout_options : none,
               verb->uses_index ? tv_index_options : none,
               verb->uses_index || verb->saves_index ? tv_mapping_options : none,
               verb->unpacks_nothing ? none : tv_file_options},
    };
}
