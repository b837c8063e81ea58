/* Connections as the library begins and closes them; see http/connection.h. */
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

struct tv_guest *tv_connection_guest(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = info_of(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static bool begin_guest(struct tv_httpd *httpd, struct MHD_Connection *connection,
                        struct tv_guest **guest)
{
    const struct tv_httpd_settings *settings = &httpd->settings;
    const union MHD_ConnectionInfo *info = info_of(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (tv_alloc_new(httpd->alloc, guest, 1, sizeof(**guest), NULL) != TV_OK)
        return false;
    tv_guest_init(*guest, tv_connection_socket(connection), info ? info->client_addr : NULL);
    (*guest)->is_exempt = settings->is_exempt &&
                          settings->is_exempt(httpd->service->ctx, tv_str_from((*guest)->address));
    tv_guests_add(&httpd->guests, *guest, tv_now_ns());
    return true;
}

void tv_connection_meet(void *cls, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what)
{
    struct tv_httpd *httpd = cls;
    struct tv_guest *guest = *context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        if (begin_guest(httpd, connection, &guest))
            *context = guest;
        else
            (void)shutdown(tv_connection_socket(connection), SHUT_RDWR);
    } else if (guest) {
        const bool was_sent_away = tv_guests_remove(&httpd->guests, guest);
        if (guest->sends_on && !was_sent_away)
            tv_farewell_begin(&httpd->farewell, tv_connection_socket(connection), tv_now_ns());
        tv_alloc_release(httpd->alloc, &guest, 1, sizeof(*guest));
        *context = NULL;
    }
}
