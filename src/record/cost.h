/* What recording costs, measured when a recording begins. Inside the recorder alone. */
#ifndef TV_RECORD_COST_H
#define TV_RECORD_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Measures what reading the clocks costs, and what an enter and an exit cost, for the current
 * recording; adds `hooks_ns` for the hooks. Called under the lock of cold.h. False: memory ran out.
 */
bool tv_cost_measure(uint32_t hooks_ns);

#endif
