/* What a recording left; see record/content.h. */
#include "record/content.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/wire.h"

static char folder[] = "/tmp/traceview-record-XXXXXX";

const char *in_folder(const char *name)
{
    static char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

struct content read_file(const char *name)
{
    static struct content content;
    static uint32_t wall[UINT16_MAX + 1], cpu[UINT16_MAX + 1];
    memset(&content, 0, sizeof(content));
    memset(wall, 0, sizeof(wall));
    memset(cpu, 0, sizeof(cpu));
    FILE *file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    char line[65536] = "";
    while (strcmp(line, "*end\n") != 0) {
        assert_non_null(fgets(line, sizeof(line), file));
        strncat(content.text, line, sizeof(content.text) - strlen(content.text) - 1);
    }
    uint8_t bytes[TV_WIRE_HEADER];
    assert_int_equal(fread(bytes, TV_WIRE_HEADER, 1, file), 1);
    assert_int_equal(tv_load_le32(bytes), TV_WIRE_MAGIC);
    while (fread(bytes, TV_WIRE_TWO_TIMES_RECORD, 1, file) == 1) {
        unsigned thread = tv_load_le16(bytes);
        uint32_t action = tv_load_le32(bytes + 2) & TV_WIRE_ACTION_MASK;
        content.records++;
        content.enters += action == 0;
        content.exits += action == 1;
        content.unwinds += action == 2;
        content.falls +=
            tv_load_le32(bytes + 6) < cpu[thread] || tv_load_le32(bytes + 10) < wall[thread];
        cpu[thread] = tv_load_le32(bytes + 6);
        wall[thread] = tv_load_le32(bytes + 10);
        content.last_cpu_us = cpu[thread];
        content.last_wall_us = wall[thread];
        content.most_thread = thread > content.most_thread ? thread : content.most_thread;
    }
    fclose(file);
    return content;
}

int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int remove_folder(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}
