/* Layouts A and B of the packet family, which stood in ART's tree for some months of 2024, and were
 * probably never on a device. They are recognised so that they can be refused by name.
 * docs/formats/packets.md. */
#ifndef TV_FORMAT_PACKETS_PACKETS_OLD_H
#define TV_FORMAT_PACKETS_PACKETS_OLD_H

#include <stdint.h>

#include "format/trace.h"

/* 'A' or 'B' when the packets after the header make sense in that layout only, else 0. */
char tv_packets_old_layout(const struct tv_trace *trace);

#endif
