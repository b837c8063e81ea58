/*
 * The table of formats, which docs/export.md describes. The order here is the order in which help
 * and pages list the formats.
 *
 * A new format is a file of the folder `tools`, `tables`, `report` or `trace` with a struct
 * tv_export, a declaration in export/formats.h, and a line here.
 */
#include "export/formats.h"

const struct tv_export *const tv_exports[] = {&tv_export_folded,
                                              &tv_export_speedscope,
                                              &tv_export_firefox,
                                              &tv_export_chrome,
                                              &tv_export_perfetto,
                                              &tv_export_pprof,
                                              &tv_export_csv,
                                              &tv_export_jsonl,
                                              &tv_export_parquet,
                                              &tv_export_arrow,
                                              &tv_export_sqlite,
                                              &tv_export_callgrind,
                                              &tv_export_dot,
                                              &tv_export_html,
                                              &tv_export_trace,
                                              &tv_export_packets,
                                              NULL};
