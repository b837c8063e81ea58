/* The formats, one file each: what the table in export/format_table.c lists. */
#ifndef TV_EXPORT_FORMATS_H
#define TV_EXPORT_FORMATS_H

#include "export/export.h"

extern const struct tv_export tv_export_arrow;
extern const struct tv_export tv_export_callgrind;
extern const struct tv_export tv_export_chrome;
extern const struct tv_export tv_export_csv;
extern const struct tv_export tv_export_dot;
extern const struct tv_export tv_export_firefox;
extern const struct tv_export tv_export_folded;
extern const struct tv_export tv_export_html;
extern const struct tv_export tv_export_jsonl;
extern const struct tv_export tv_export_packets;
extern const struct tv_export tv_export_parquet;
extern const struct tv_export tv_export_perfetto;
extern const struct tv_export tv_export_pprof;
extern const struct tv_export tv_export_speedscope;
extern const struct tv_export tv_export_sqlite;
extern const struct tv_export tv_export_trace;

#endif
