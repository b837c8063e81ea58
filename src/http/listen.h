/* The address that a server listens on, as text: "127.0.0.1:8192", "[::1]:8192". */
#ifndef TV_HTTP_LISTEN_H
#define TV_HTTP_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/socket.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_listen {
    struct sockaddr_storage address;
    uint16_t port;
    bool is_ipv6;
    bool is_any; /* all addresses of the machine */
};

/* Names are not looked up. TV_ERR_ARGUMENT: it is no address with a port. */
enum tv_code tv_listen_parse(const char *text, struct tv_listen *listen,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
