/* The formats that every page can write, in place of export/format_table.c: a part of a trace as a
 * trace. Those of other tools are in the module that a page fetches when it is asked for one
 * (docs/engine.md). */
#include "export/formats.h"

const struct tv_export *const tv_exports[] = {&tv_export_trace, &tv_export_packets, NULL};
