/* What recording costs, measured when a recording begins. Inside the recorder alone. */
#ifndef TV_RECORD_COST_H
#define TV_RECORD_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Measures a reading of the clocks, and an enter and an exit, of the current recording; hooks add
 * `hooks_ns` to these. Under the lock of cold.h. False when there is no memory. */
bool tv_cost_measure(uint32_t hooks_ns);

#endif
