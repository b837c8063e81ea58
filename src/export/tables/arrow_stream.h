/*
 * A table as a stream of Arrow's messages (arrow.apache.org, "IPC Streaming Format"): the schema, a
 * dictionary for each column of texts, batches of rows, the end.
 *
 * Nothing is packed, since not every reader can unpack a batch. A dictionary goes out whole before
 * the first rows, text by text, so memory is that of one batch.
 */
#ifndef TV_EXPORT_TABLES_ARROW_STREAM_H
#define TV_EXPORT_TABLES_ARROW_STREAM_H

#include "export/tables/table.h"

#define TV_ARROW_BATCH_ROWS 65536u

extern const struct tv_table_form tv_arrow_stream;

#endif
