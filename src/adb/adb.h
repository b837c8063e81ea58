/*
 * Devices, over the server of the user's `adb`.
 *
 * The server is asked directly, over TCP; the program `adb` is started only where no server runs.
 * Every question is a connection of its own, so nothing is left open between two of them, and one
 * that fails spoils no other. What server and device answer is hostile: lengths have limits
 * (adb/wire.h), and a silent device is given up after `patience_ms`.
 *
 * A function that fails leaves in `trouble` which kind of trouble it was, for callers that go on
 * differently; the text of the error is one line that says what to do. One thread uses a struct
 * tv_adb; several threads have one each.
 *
 * The protocol: OVERVIEW.TXT, SERVICES.TXT and SYNC.TXT of the Android platform's adb.
 */
#ifndef TV_ADB_ADB_H
#define TV_ADB_ADB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/sink.h"
#include "base/str.h"

/* X(name, word): what can be wrong; the word is for programs. */
#define TV_ADB_TROUBLES(X)                                                                         \
    X(NONE, "none")                                                                                \
    X(NO_ADB, "no-adb")               /* no server runs, and no adb is installed */                \
    X(NOT_STARTED, "not-started")     /* adb is installed, and did not start its server */         \
    X(OTHER_VERSION, "other-version") /* the server is too old, or no adb server */                \
    X(NO_DEVICE, "no-device")         /* none is connected */                                      \
    X(SEVERAL, "several")             /* devices, and none was named */                            \
    X(NOT_THERE, "not-there")         /* the named device is not connected */                      \
    X(UNAUTHORISED, "unauthorised")   /* the device has not said yes to this computer */           \
    X(NO_PERMISSION, "no-permission") /* this user may not open the USB device */                  \
    X(OFFLINE, "offline")             /* the device is there and does not answer the server */     \
    X(UNUSABLE, "unusable")           /* in its boot loader, in recovery and the like */           \
    X(GONE, "gone")                   /* the connection ended in the middle: a cable pulled */     \
    X(SILENT, "silent")               /* nothing came for as long as `patience_ms` */              \
    X(GARBAGE, "garbage")             /* bytes that are not of the protocol */                     \
    X(REFUSED, "refused")             /* the device said no; the error has its reason */           \
    X(CANCELLED, "cancelled")         /* `cancel_fd` became readable, or a callback said so */     \
    X(HERE, "here")                   /* this computer: memory, a full disk */

#define TV_ADB_TROUBLE_NAME(name, word) TV_ADB_##name,
enum tv_adb_trouble { TV_ADB_TROUBLES(TV_ADB_TROUBLE_NAME) };
#undef TV_ADB_TROUBLE_NAME

/* "no-adb": static, never NULL. */
const char *tv_adb_trouble_word(enum tv_adb_trouble trouble);

#define TV_ADB_HOST_CAP 128u
#define TV_ADB_PORT_CAP 8u

struct tv_adb {
    const struct tv_alloc *alloc;
    char host[TV_ADB_HOST_CAP];
    char port[TV_ADB_PORT_CAP];
    bool may_start;       /* the program adb, where no server runs */
    unsigned patience_ms; /* for each piece of an answer; six times as long for a whole short one */
    int cancel_fd;        /* once readable, whatever waits ends with TV_ERR_CANCELLED; -1: none */
    enum tv_adb_trouble trouble; /* of the last call that failed */
};

/* Where the server is, as adb itself finds it: ADB_SERVER_SOCKET (tcp:HOST:PORT), else
 * ANDROID_ADB_SERVER_ADDRESS and ANDROID_ADB_SERVER_PORT, else 127.0.0.1:5037. Patience is 10 s. */
void tv_adb_init(struct tv_adb *adb, const struct tv_alloc *alloc);

/* The version of the server's protocol. Starts the server where none runs, as every function here
 * does. */
enum tv_code tv_adb_server_version(struct tv_adb *adb, uint32_t *version,
                                   struct tv_error *err) TV_MUST_CHECK;

/* Devices */

enum tv_adb_state {
    TV_ADB_STATE_DEVICE, /* it can be used */
    TV_ADB_STATE_UNAUTHORISED,
    TV_ADB_STATE_NO_PERMISSION,
    TV_ADB_STATE_OFFLINE,
    TV_ADB_STATE_OTHER, /* "recovery", "bootloader", "sideload" ...: its word is in state_word */
};

/* Texts are views of the list's, and may be empty. Serial numbers have no blanks. */
struct tv_adb_device {
    struct tv_str serial;
    struct tv_str state_word; /* the word that the adb server writes */
    struct tv_str product;
    struct tv_str model; /* "Pixel_8": blanks are underlines */
    struct tv_str name;  /* of the board: "shiba" */
    enum tv_adb_state state;
};

struct tv_adb_devices {
    struct tv_buffer text;
    struct tv_adb_device *of; /* in the server's order */
    size_t count, cap;
};

/* "ready", "unauthorised": the state as traceview names it; of TV_ADB_STATE_OTHER the server's
 * word. */
struct tv_str tv_adb_state_word(const struct tv_adb_device *device);
/* Fails where the device cannot be used, with what its user can do. */
enum tv_code tv_adb_check_device(const struct tv_adb_device *device,
                                 struct tv_error *err) TV_MUST_CHECK;
/* What to do where there is no device. */
#define TV_ADB_ADVICE_NO_DEVICE                                                                    \
    "no device is connected: plug one in and switch on USB debugging in its developer options, "   \
    "or start an emulator"

void tv_adb_devices_init(struct tv_adb_devices *devices, const struct tv_alloc *alloc);
void tv_adb_devices_release(struct tv_adb_devices *devices);
/* The devices as they are now. */
enum tv_code tv_adb_list_devices(struct tv_adb *adb, struct tv_adb_devices *devices,
                                 struct tv_error *err) TV_MUST_CHECK;
/* The devices now, and again whenever that changes, until `each` returns false, which is TV_OK. */
enum tv_code tv_adb_track_devices(struct tv_adb *adb,
                                  bool (*each)(void *ctx, const struct tv_adb_devices *devices),
                                  void *ctx, struct tv_error *err) TV_MUST_CHECK;

/* A device that can be used, and what it understands. */
#define TV_ADB_SERIAL_CAP 128u
#define TV_ADB_MODEL_CAP 64u
struct tv_adb_target {
    char serial[TV_ADB_SERIAL_CAP];
    char model[TV_ADB_MODEL_CAP]; /* "Pixel 8", or the serial number where it has none */
    bool has_shell_v2;            /* Android 7: exit status, and standard error of its own */
    bool has_stat_v2;             /* Android 8 and 9: files of 4 GiB and more */
    bool has_list_v2;             /* Android 11 */
    bool has_receive_v2;          /* Android 11 */
    bool has_apps;                /* Android 12: lists profileable processes */
};

/* Finds the device to be used: `serial`, else $ANDROID_SERIAL, else the only one that is there. The
 * error of a device that cannot be used says what its user must do. */
enum tv_code tv_adb_choose(struct tv_adb *adb, const char *serial, struct tv_adb_target *target,
                           struct tv_error *err) TV_MUST_CHECK;

/* Commands on the device */

struct tv_adb_shell {
    const char *command;    /* for the device's sh; tv_adb_quote helps */
    struct tv_sink out;     /* without a write function: dropped */
    struct tv_sink err_out; /* the same; before Android 7 standard error comes in `out` */
    uint64_t most_ms;       /* for all of it; 0: as long as it takes, in silence too */
    int status;             /* set: its exit status */
};

/* Runs a command to its end. A status other than 0 is no failure of this function. The end of the
 * connection before the command's is TV_ADB_GONE; what came before it was given to the sinks. */
enum tv_code tv_adb_run(struct tv_adb *adb, const struct tv_adb_target *target,
                        struct tv_adb_shell *shell, struct tv_error *err) TV_MUST_CHECK;
/* A command that ends soon and says little: appends both of its outputs to `out`, 1 MiB at most. */
enum tv_code tv_adb_ask(struct tv_adb *adb, const struct tv_adb_target *target, const char *command,
                        struct tv_buffer *out, int *status, struct tv_error *err) TV_MUST_CHECK;
/* The API level of the device's Android: 34 is Android 14. */
enum tv_code tv_adb_sdk(struct tv_adb *adb, const struct tv_adb_target *target, unsigned *sdk,
                        struct tv_error *err) TV_MUST_CHECK;
/* Appends a word for sh, in quotes where it needs them. */
enum tv_code tv_adb_quote(struct tv_buffer *command, struct tv_str word,
                          struct tv_error *err) TV_MUST_CHECK;

/* Files on the device */

struct tv_adb_stat {
    bool is_there;
    uint32_t mode; /* as in stat(2): 0100644 is a plain file */
    uint64_t len;  /* without has_stat_v2 it is the length modulo 4 GiB */
    int64_t changed_s;
};

/* Looks at a file, links followed where has_stat_v2. One that is not there is no failure. */
enum tv_code tv_adb_stat(struct tv_adb *adb, const struct tv_adb_target *target, const char *path,
                         struct tv_adb_stat *stat, struct tv_error *err) TV_MUST_CHECK;
/* Each entry of a folder but "." and "..", in the device's order. A folder that is not there, or
 * may not be read, is empty. */
enum tv_code tv_adb_list(struct tv_adb *adb, const struct tv_adb_target *target, const char *path,
                         void (*each)(void *ctx, struct tv_str name,
                                      const struct tv_adb_stat *stat),
                         void *ctx, struct tv_error *err) TV_MUST_CHECK;

struct tv_adb_pull {
    const char *path;
    uint64_t from;       /* bytes to leave out: they came before */
    struct tv_sink sink; /* takes the bytes, or fails */
    /* Is told how many bytes there are by now, those before `from` among them; false cancels. May
     * be NULL. */
    bool (*tell)(void *ctx, uint64_t done);
    void *ctx;
    uint64_t done;            /* set, also on failure: where another try must begin */
    struct tv_adb_stat after; /* set, on success: the file when its end had come */
};

/* Reads a file of the device from `from` to its end, and looks at it once more. */
enum tv_code tv_adb_receive(struct tv_adb *adb, const struct tv_adb_target *target,
                            struct tv_adb_pull *pull, struct tv_error *err) TV_MUST_CHECK;

/* Pulls a file into an open one, from the place where `fd` ends, and goes on by itself when the
 * device was gone and is back. The file may get longer meanwhile. */
struct tv_adb_fetch {
    const char *path;
    int fd;           /* has what came before, and nothing else */
    unsigned wait_ms; /* for a device that is gone, each time; 0: it is not waited for */
    /* Nobody else writes a file of this name: it is the same when it is longer after the device was
     * gone. */
    bool only_grows;
    /* Is told how many of how many bytes came, and whether the device is waited for; false
     * cancels. May be NULL. */
    bool (*tell)(void *ctx, uint64_t done, uint64_t of, bool is_waiting);
    void *ctx;
    struct tv_adb_stat stat; /* of the file, as it was found; set, on success: as it is now */
    bool has_all;            /* set, on success: nothing was written behind what was pulled */
    uint64_t done;           /* set, also on failure: the length of `fd` */
};
enum tv_code tv_adb_fetch(struct tv_adb *adb, const struct tv_adb_target *target,
                          struct tv_adb_fetch *fetch, struct tv_error *err) TV_MUST_CHECK;

/* Processes */

/* Texts are views of the list's, and may be empty. */
struct tv_adb_process {
    uint64_t pid;
    bool is_debuggable;
    bool is_profileable;     /* by the shell; debuggable ones are, too */
    struct tv_str name;      /* "com.example.app:service" */
    struct tv_str package;   /* "com.example.app" */
    struct tv_str unix_user; /* "u0_a123" */
    uint64_t user;           /* of Android: 0 is the owner, 10 a work profile */
    bool has_user;
    bool has_uptime;
    uint64_t uptime_s;
};

struct tv_adb_processes {
    struct tv_buffer text, table; /* what the device said */
    struct tv_adb_process *of;    /* by name, then pid */
    size_t count, cap;
    bool has_profileable; /* false: the device tells of debuggable ones only */
    unsigned sdk;         /* the API level of the device's Android */
};

void tv_adb_processes_init(struct tv_adb_processes *processes, const struct tv_alloc *alloc);
void tv_adb_processes_release(struct tv_adb_processes *processes);
/* The processes that can be recorded. */
enum tv_code tv_adb_list_processes(struct tv_adb *adb, const struct tv_adb_target *target,
                                   struct tv_adb_processes *processes,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
