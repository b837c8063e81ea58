/* What stands for a connection from its begin to its end: an entry of the table of connections
 * (http/connection_table.h). */
#ifndef TV_HTTP_CONNECTION_H
#define TV_HTTP_CONNECTION_H

#include <stdbool.h>

#include <microhttpd.h>

#include "http/connection_table.h"

int tv_connection_socket(struct MHD_Connection *connection);
/* Whether it is suspended; for the library's thread of the connection. */
bool tv_connection_is_suspended(struct MHD_Connection *connection);
/* NULL: the connection is closed already. */
struct tv_connection_entry *tv_connection_entry_of(struct MHD_Connection *connection);
/* The library's callback when a connection begins, and when it is about to be closed; cls is the
 * server. In between, *context is what stands for the connection. One that cannot be listed for
 * want of memory is not let in. */
void tv_connection_meet(void *cls, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what);

#endif
