/*
 * What exports need of the system; see served/export_tools.h. Exports are pure, so packers and
 * databases reach them as functions; here those are made before an export and released behind it.
 */
#include "served/export_tools.h"

#include "base/alloc.h"

#ifdef TV_HAS_SQLITE
#include "served/export_database.h"

static enum tv_code open_database(struct tv_export_tools *tools, struct tv_export_opts *opts,
                                  struct tv_error *err)
{
    struct tv_sqlite_database *database;
    TV_TRY(tv_alloc_new(tools->alloc, &database, 1, sizeof(*database), err));
    enum tv_code code = tv_sqlite_database_open(database, err);
    if (code != TV_OK) {
        tv_alloc_release(tools->alloc, &database, 1, sizeof(*database));
        return code;
    }
    tools->database = database;
    opts->database = &database->base;
    return TV_OK;
}

static void close_database(struct tv_export_tools *tools)
{
    if (!tools->database)
        return;
    tv_sqlite_database_close(tools->database);
    tv_alloc_release(tools->alloc, &tools->database, 1, sizeof(*tools->database));
}
#else
/* Without SQLite the format itself says that it has no database. */
static enum tv_code open_database(struct tv_export_tools *tools, struct tv_export_opts *opts,
                                  struct tv_error *err)
{
    (void)tools, (void)opts, (void)err;
    return TV_OK;
}

static void close_database(struct tv_export_tools *tools)
{
    (void)tools;
}
#endif

enum tv_code tv_export_tools_open(struct tv_export_tools *tools, const struct tv_export *format,
                                  const struct tv_alloc *alloc, struct tv_export_opts *opts,
                                  struct tv_error *err)
{
    *tools = (struct tv_export_tools){.alloc = alloc};
    tv_block_pack_init(&tools->pack);
    tools->packer = tv_block_pack_packer(&tools->pack);
    opts->packer = &tools->packer;
    opts->database = NULL;
    return format->needs_database ? open_database(tools, opts, err) : TV_OK;
}

void tv_export_tools_close(struct tv_export_tools *tools)
{
    close_database(tools);
    tv_block_pack_release(&tools->pack);
}
