/* An answer on its way to the library. */
#ifndef TV_HTTP_REPLY_H
#define TV_HTTP_REPLY_H

#include "http/exchange.h"

/* Sends the response of an exchange, on the library's thread. MHD_NO makes the library close the
 * connection. */
enum MHD_Result tv_reply_send(struct tv_exchange *exchange);

#endif
