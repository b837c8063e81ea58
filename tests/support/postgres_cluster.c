/* Starts and stops a cluster by the script that Python's tests use; see
 * tests/support/postgres_cluster.h. */
#include "support/postgres_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tv_start_postgres(char folder[TV_CLUSTER_CAP])
{
    FILE *started = popen("python3 tests/support/postgres.py start", "r");
    if (!started)
        return false;
    if (!fgets(folder, TV_CLUSTER_CAP, started))
        folder[0] = '\0';
    folder[strcspn(folder, "\n")] = '\0';
    return pclose(started) == 0 && folder[0];
}

void tv_stop_postgres(const char *folder)
{
    char command[128];
    (void)snprintf(command, sizeof(command), "python3 tests/support/postgres.py stop '%s'", folder);
    (void)!system(command);
}
