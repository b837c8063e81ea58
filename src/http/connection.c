/*
 * Connections as the library begins and closes them; see http/connection.h.
 *
 * Each connection has an entry in the table of connections, which hangs at the library's socket
 * context. A connection whose entry finds no memory is shut down at once. When a connection closes
 * whose client was still sending, a copy of its socket goes to the lingering close, so that the
 * answer is not lost.
 */
#include "http/connection.h"

#include <sys/socket.h>

#include "http/exchange.h"
#include "os/clock.h"

static const union MHD_ConnectionInfo *info_of(struct MHD_Connection *connection,
                                               enum MHD_ConnectionInfoType type)
{
    return MHD_get_connection_info(connection, type);
}

int tv_connection_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = info_of(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

bool tv_connection_is_suspended(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        info_of(connection, MHD_CONNECTION_INFO_CONNECTION_SUSPENDED);
    return info && info->suspended;
}

struct tv_connection_entry *tv_connection_entry_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = info_of(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static bool begin_entry(struct tv_httpd *httpd, struct MHD_Connection *connection,
                        struct tv_connection_entry **entry)
{
    const struct tv_httpd_settings *settings = &httpd->settings;
    const union MHD_ConnectionInfo *info = info_of(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (tv_alloc_new(httpd->alloc, entry, 1, sizeof(**entry), NULL) != TV_OK)
        return false;
    tv_connection_entry_init(*entry, tv_connection_socket(connection),
                             info ? info->client_addr : NULL);
    (*entry)->is_exempt = settings->is_exempt &&
                          settings->is_exempt(httpd->service->ctx, tv_str_from((*entry)->address));
    tv_connection_table_add(&httpd->connections, *entry, tv_now_ns());
    return true;
}

/* The library calls this at both ends of a connection's life. What sends on although its answer is
 * out gets a lingering close: closing at once would take the answer from it (RFC 9112, 9.6). */
void tv_connection_meet(void *cls, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what)
{
    struct tv_httpd *httpd = cls;
    struct tv_connection_entry *entry = *context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        if (begin_entry(httpd, connection, &entry))
            *context = entry;
        else
            (void)shutdown(tv_connection_socket(connection), SHUT_RDWR);
    } else if (entry) {
        const bool was_sent_away = tv_connection_table_remove(&httpd->connections, entry);
        if (entry->sends_on && !was_sent_away)
            tv_lingering_close_begin(&httpd->lingering, tv_connection_socket(connection),
                                     tv_now_ns());
        tv_alloc_release(httpd->alloc, &entry, 1, sizeof(*entry));
        *context = NULL;
    }
}
