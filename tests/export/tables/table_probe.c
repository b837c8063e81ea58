/* See tests/export/tables/table_probe.h. */
#include "export/tables/table_probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* No batch or group of rows that a form makes ends together with these. */
#define ROWS_AT_ONCE (TV_ROWS_LIMIT - 24)

void table_probe_write(const struct tv_table_form *form, const struct tv_str *names,
                       uint32_t name_count, const int64_t *cells, size_t count,
                       struct tv_buffer *out)
{
    static int64_t columns[TABLE_PROBE_COLUMNS][TV_ROWS_LIMIT];
    const struct tv_table table = {
        .name = "probe",
        .columns = {{.name = "id", .type = TV_COLUMN_U32},
                    {.name = "time", .type = TV_COLUMN_I64, .may_be_absent = true},
                    {.name = "open", .type = TV_COLUMN_TRUTH},
                    {.name = "name", .type = TV_COLUMN_TEXT, .dictionary = {names, name_count}}},
        .column_count = TABLE_PROBE_COLUMNS};
    const struct tv_table_target target = {.alloc = tv_alloc_libc(), .sink = tv_buffer_sink(out)};
    void *state;
    assert_int_equal(form->begin(&table, &target, &state, NULL), TV_OK);
    for (size_t first = 0; first < count; first += ROWS_AT_ONCE) {
        struct tv_rows rows = {.len = count - first};
        if (rows.len > ROWS_AT_ONCE)
            rows.len = ROWS_AT_ONCE;
        for (size_t c = 0; c < TABLE_PROBE_COLUMNS; c++) {
            rows.cells[c] = columns[c];
            for (size_t r = 0; r < rows.len; r++)
                columns[c][r] = cells[(first + r) * TABLE_PROBE_COLUMNS + c];
        }
        assert_int_equal(form->take(state, &rows, NULL), TV_OK);
    }
    assert_int_equal(form->finish(state, NULL), TV_OK);
    form->release(state);
}
