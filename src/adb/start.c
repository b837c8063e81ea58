/*
 * Where the adb server is, and its start; see adb/start.h. The same environment variables are read
 * as adb itself reads. Only a server on this machine is started, by `adb start-server` of $PATH or
 * of an Android SDK.
 *
 * A server elsewhere is somebody's decision (a container, a tunnel), so it is only connected to.
 */
#include "adb/start.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adb/connection.h"
#include "os/process/program.h"

#define DEFAULT_HOST "127.0.0.1"
#define DEFAULT_PORT "5037"
#define PATIENCE_MS 10000u
#define START_S 30u /* a server that must make the user's key takes some seconds */
#define PROGRAM_CAP 1024u

/* Takes "tcp:HOST:PORT" and "tcp:PORT"; traceview can use no other sockets. */
static void use_socket_name(struct tv_adb *adb, const char *name)
{
    static const char tcp[] = "tcp:";
    if (strncmp(name, tcp, sizeof(tcp) - 1) != 0)
        return;
    name += sizeof(tcp) - 1;
    const char *colon = strrchr(name, ':');
    const char *port = colon ? colon + 1 : name;
    (void)snprintf(adb->port, sizeof(adb->port), "%s", port);
    if (colon)
        (void)snprintf(adb->host, sizeof(adb->host), "%.*s", (int)(colon - name), name);
}

/* An empty variable counts as none, as it does for adb. ADB_SERVER_SOCKET names host and port in
 * one text and wins over the other two. */
void tv_adb_init(struct tv_adb *adb, const struct tv_alloc *alloc)
{
    const char *name = getenv("ADB_SERVER_SOCKET");
    const char *host = getenv("ANDROID_ADB_SERVER_ADDRESS");
    const char *port = getenv("ANDROID_ADB_SERVER_PORT");
    *adb = (struct tv_adb){
        .alloc = alloc, .may_start = true, .patience_ms = PATIENCE_MS, .cancel_fd = -1};
    (void)snprintf(adb->host, sizeof(adb->host), "%s", host && *host ? host : DEFAULT_HOST);
    (void)snprintf(adb->port, sizeof(adb->port), "%s", port && *port ? port : DEFAULT_PORT);
    if (name)
        use_socket_name(adb, name);
}

/* Whether the server is on this machine; a server elsewhere is for somebody there to start. */
static bool is_here(const struct tv_adb *adb)
{
    return strncmp(adb->host, "127.", 4) == 0 || strcmp(adb->host, "localhost") == 0 ||
           strcmp(adb->host, "::1") == 0;
}

/* Runs `adb start-server`, which returns when the server listens. */
static enum tv_code run_adb(const char *program, struct tv_error *err)
{
    const char *const words[] = {program, "start-server", NULL};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "/dev/null cannot be opened");
    enum tv_code code = tv_program_run(words, TV_STR(""), nowhere, START_S, err);
    (void)close(nowhere);
    return code;
}

/* Where adb may be besides $PATH: in the folder of an Android SDK. False: not in this one. */
static bool find_in_sdk(unsigned which, char program[PROGRAM_CAP])
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"ANDROID_HOME", ""}, {"ANDROID_SDK_ROOT", ""}, {"HOME", "/Android/Sdk"}};
    const char *folder = getenv(places[which].variable);
    program[0] = 0;
    if (folder && *folder)
        (void)snprintf(program, PROGRAM_CAP, "%s%s/platform-tools/adb", folder,
                       places[which].below);
    return program[0] && access(program, X_OK) == 0;
}
#define SDK_PLACES 3u

/* The search goes on only where no program was found: an adb that was found and failed has said
 * why. */
enum tv_code tv_adb_start(struct tv_adb *adb, struct tv_error *err)
{
    char program[PROGRAM_CAP];
    struct tv_error why;
    enum tv_code code = run_adb("adb", &why);
    for (unsigned i = 0; code == TV_ERR_NOT_FOUND && i < SDK_PLACES; i++) {
        if (find_in_sdk(i, program))
            code = run_adb(program, &why);
    }
    if (code == TV_ERR_NOT_FOUND)
        return tv_adb_fail(adb, TV_ADB_NO_ADB, err,
                           "adb is not installed: it comes with the Android SDK platform tools, "
                           "and as the package adb of Debian and Ubuntu");
    if (code != TV_OK)
        return tv_adb_fail(adb, TV_ADB_NOT_STARTED, err,
                           "adb's server did not start (%s): see what `adb start-server` says",
                           why.text);
    return TV_OK;
}

bool tv_adb_may_start(const struct tv_adb *adb)
{
    return adb->may_start && is_here(adb);
}
