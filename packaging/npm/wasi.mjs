// What the command asks of WASI (preview 1), on files and streams of node: no more than its module imports. node has a WASI of its
// own, which warns that it is experimental, and knows no paths of Windows.
//
// A path is taken as the system takes it, from the folder that the program was started in: the module is as free as a program is.

import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import tty from "node:tty";

const ERRNO = {
  EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EDQUOT: 19, EEXIST: 20, EFBIG: 22, EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32, EMFILE: 33,
  ENAMETOOLONG: 37, ENFILE: 41, ENODEV: 43, ENOENT: 44, ENOMEM: 48, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, ENOTSUP: 58,
  ENXIO: 60, EOVERFLOW: 61, EPERM: 63, EPIPE: 64, EROFS: 69, ESPIPE: 70, ETXTBSY: 74, EXDEV: 75,
};
const FILE_TYPE = { unknown: 0, block: 1, character: 2, folder: 3, regular: 4, socket: 6, link: 7 };
const MOST_LINKS = 40; // as many as Linux follows
const RIGHTS = { read: 1n << 1n, seek: 1n << 2n, tell: 1n << 5n, write: 1n << 6n };
const ALL_RIGHTS = (1n << 30n) - 1n;
const OPEN = { create: 1, folder: 2, exclusive: 4, truncate: 8 };
const FOLLOWS_LINKS = 1;
const DRIVE = /^\/([A-Za-z]:\/)/; // system.mjs begins paths of Windows with a slash where the module asks for one
const FLAGS = { append: 1, nonblock: 4 };
const FOLDER = 3; // descriptors below are the standard streams; all paths are told as below this one
const FOLDER_NAME = "/";
const FIRST_FILE = FOLDER + 1;
const MOST_AT_ONCE = 1 << 30; // node takes less than 2 GiB
const PAUSE_MS = 5;

/** Ends the module with a status: thrown through it. */
export class Exit {
  constructor(status) {
    this.status = status;
  }
}

/** What a shell tells of a program that wrote to a pipe which nobody reads any more. */
const BROKEN_PIPE = 141;

function errnoOf(error) {
  if (error instanceof Exit) throw error;
  if (error.code === "EPIPE") throw new Exit(BROKEN_PIPE);
  if (error.code === undefined) throw error; // a fault of ours
  return ERRNO[error.code] ?? ERRNO.EIO;
}

function fileTypeOf(status) {
  if (status.isFile()) return FILE_TYPE.regular;
  if (status.isDirectory()) return FILE_TYPE.folder;
  if (status.isCharacterDevice()) return FILE_TYPE.character;
  if (status.isBlockDevice()) return FILE_TYPE.block;
  if (status.isSymbolicLink()) return FILE_TYPE.link;
  // WASI has no kind for a pipe; as elsewhere it is a socket, whose bytes come once, too.
  return status.isSocket() || status.isFIFO() ? FILE_TYPE.socket : FILE_TYPE.unknown;
}

/** The path where links lead to, which need not exist. */
function endOfLinks(name) {
  for (let i = 0; i < MOST_LINKS; i++) {
    const status = fs.lstatSync(name, { throwIfNoEntry: false });
    if (!status?.isSymbolicLink()) return name;
    name = path.resolve(path.dirname(name), fs.readlinkSync(name));
  }
  throw Object.assign(new Error("too many links"), { code: "ELOOP" });
}

/** As part of a draft's name: processes of other machines may write into a shared folder. */
const MACHINE = createHash("sha256").update(os.hostname()).digest("hex").slice(0, 8);
const DRAFT = /^\.traceview-([0-9a-f]{8})-(\d+)-\d+\.part$/;

function isRunning(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

/** A process that was ended by a signal leaves its drafts: no JavaScript runs while the module does. */
function removeLeftDrafts(folder) {
  try {
    for (const name of fs.readdirSync(folder)) {
      const [, machine, id] = DRAFT.exec(name) ?? [];
      if (machine === MACHINE && !isRunning(Number(id))) fs.rmSync(path.join(folder, name), { force: true });
    }
  } catch {
    // A folder that may be written and not be read keeps them; so does one that is not there.
  }
}

/** Paths that the module is told have slashes, as its own have. */
function slashed(name) {
  return process.platform === "win32" ? name.replaceAll("\\", "/") : name;
}

function pause() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

/** A stream that another program made non-blocking says EAGAIN where the module expects to wait. */
function waiting(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code === "EOF") return 0; // a pipe of Windows whose writer has ended
      if (error.code !== "EAGAIN") throw error;
      pause();
    }
  }
}

/**
 * The imports of the module. `words` and `variables` are what it is started with; `makeFolder(file)` may make the folder of a file
 * that is to be made.
 */
export function wasiOf({ words, variables, makeFolder }) {
  let memory;
  const files = new Map(); // descriptor: the system's one, its place where there is one, its path, and the names of a folder
  const drafts = new Map(); // path of a file that is to take another one's place: its mode
  let draftCount = 0;
  for (const standard of [0, 1, 2]) files.set(standard, { fd: standard, at: null });
  files.set(FOLDER, {});
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const nulEnded = (texts) => texts.map((text) => encoder.encode(text + "\0"));
  const wordBytes = nulEnded(words);
  const variableBytes = nulEnded(Object.entries(variables).map(([name, value]) => `${name}=${value}`));

  const view = () => new DataView(memory.buffer);
  const bytesAt = (at, len) => new Uint8Array(memory.buffer, at >>> 0, len >>> 0);
  const setU32 = (at, value) => view().setUint32(at >>> 0, value, true);
  const setU64 = (at, value) => view().setBigUint64(at >>> 0, BigInt.asUintN(64, value), true);

  function putTexts(texts, pointersAt, bytesAtStart) {
    let at = bytesAtStart >>> 0;
    texts.forEach((bytes, i) => {
      setU32((pointersAt >>> 0) + 4 * i, at);
      bytesAt(at, bytes.length).set(bytes);
      at += bytes.length;
    });
    return 0;
  }

  function putSizes(texts, countAt, lenAt) {
    setU32(countAt, texts.length);
    setU32(lenAt, texts.reduce((sum, bytes) => sum + bytes.length, 0));
    return 0;
  }

  function open(descriptor) {
    const file = files.get(descriptor);
    if (!file) throw Object.assign(new Error("closed"), { code: "EBADF" });
    return file;
  }

  /** The path as the system takes it: where a link stands before "..", only the system knows what is meant. */
  function pathOf(folder, at, len) {
    const name = decoder.decode(bytesAt(at, len)).replace(DRIVE, "$1");
    const base = open(folder).path;
    return base === undefined || path.isAbsolute(name) ? name : `${base}/${name}`;
  }

  function putPath(name, into, room) {
    const text = encoder.encode(name);
    if (text.length > room >>> 0) return -ERRNO.ENAMETOOLONG;
    bytesAt(into, text.length).set(text);
    return text.length;
  }

  function* parts(at, count) {
    for (let i = 0; i < count; i++) {
      const part = (at >>> 0) + 8 * i;
      yield [view().getUint32(part, true), view().getUint32(part + 4, true)];
    }
  }

  /** Moves bytes between the parts and a file, from `from` on, or from where the file is (null). Returns how many. */
  function move(transfer, file, at, count, from) {
    let total = 0;
    for (const [start, len] of parts(at, count)) {
      for (let done = 0; done < len; ) {
        const most = Math.min(len - done, MOST_AT_ONCE);
        const place = from === null ? null : from + total;
        const moved = waiting(() => transfer(file.fd, bytesAt(start + done, most), 0, most, place));
        done += moved;
        total += moved;
        // A stream gives what it has; whoever wants more asks again.
        if (moved === 0 || (from === null && transfer === fs.readSync)) return total;
      }
    }
    return total;
  }

  function putStatus(at, status) {
    const start = at >>> 0;
    bytesAt(start, 64).fill(0);
    setU64(start, status.dev);
    setU64(start + 8, status.ino);
    view().setUint8(start + 16, fileTypeOf(status));
    setU64(start + 24, status.nlink);
    setU64(start + 32, status.size);
    setU64(start + 40, status.atimeNs);
    setU64(start + 48, status.mtimeNs);
    setU64(start + 56, status.ctimeNs);
    return 0;
  }

  function openFlags(wanted, rights, flags) {
    const writes = (rights & RIGHTS.write) !== 0n;
    const reads = (rights & RIGHTS.read) !== 0n;
    const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NONBLOCK = 0, O_NOCTTY = 0 } = fs.constants;
    return (
      (writes ? (reads ? O_RDWR : O_WRONLY) : O_RDONLY) |
      (wanted & OPEN.create ? O_CREAT : 0) |
      (wanted & OPEN.exclusive ? O_EXCL : 0) |
      (wanted & OPEN.truncate ? O_TRUNC : 0) |
      (writes && flags & FLAGS.append ? O_APPEND : 0) |
      // Opening a pipe would wait for somebody at its other end.
      (reads && !writes ? O_NONBLOCK : 0) |
      O_NOCTTY
    );
  }

  function freeDescriptor() {
    let descriptor = FIRST_FILE;
    while (files.has(descriptor)) descriptor++;
    return descriptor;
  }

  const calls = {
    args_get: (pointersAt, at) => putTexts(wordBytes, pointersAt, at),
    args_sizes_get: (countAt, lenAt) => putSizes(wordBytes, countAt, lenAt),
    environ_get: (pointersAt, at) => putTexts(variableBytes, pointersAt, at),
    environ_sizes_get: (countAt, lenAt) => putSizes(variableBytes, countAt, lenAt),
    clock_time_get(clock, _precision, at) {
      setU64(at, clock === 0 ? BigInt(Date.now()) * 1000000n : process.hrtime.bigint());
      return 0;
    },
    fd_close(descriptor) {
      const file = open(descriptor);
      files.delete(descriptor);
      if (file.fd !== undefined && descriptor >= FIRST_FILE) fs.closeSync(file.fd);
      return 0;
    },
    fd_fdstat_get(descriptor, at) {
      const file = open(descriptor);
      const type = file.fd === undefined ? FILE_TYPE.folder : fileTypeOf(fs.fstatSync(file.fd));
      const start = at >>> 0;
      bytesAt(start, 24).fill(0);
      view().setUint8(start, type);
      view().setUint16(start + 2, file.isAppended ? FLAGS.append : 0, true);
      // By these rights the C library knows a terminal.
      setU64(start + 8, file.fd !== undefined && tty.isatty(file.fd) ? ALL_RIGHTS & ~(RIGHTS.seek | RIGHTS.tell) : ALL_RIGHTS);
      setU64(start + 16, ALL_RIGHTS);
      return 0;
    },
    fd_fdstat_set_flags: () => 0,
    fd_filestat_get: (descriptor, at) => putStatus(at, fs.fstatSync(open(descriptor).fd, { bigint: true })),
    fd_prestat_get(descriptor, at) {
      if (descriptor !== FOLDER) return ERRNO.EBADF;
      setU32(at, 0);
      setU32((at >>> 0) + 4, FOLDER_NAME.length);
      return 0;
    },
    fd_prestat_dir_name(descriptor, at, len) {
      if (descriptor !== FOLDER) return ERRNO.EBADF;
      bytesAt(at, len).set(encoder.encode(FOLDER_NAME).subarray(0, len));
      return 0;
    },
    fd_read(descriptor, at, count, gotAt) {
      const file = open(descriptor);
      let got = move(fs.readSync, file, at, count, file.at);
      // A named pipe has an end only once somebody has written to it. It is not opened again to wait for that: who has written all
      // and closed it by then would be waited for in vain.
      while (got === 0 && file.isUnwritten) {
        pause();
        got = move(fs.readSync, file, at, count, file.at);
      }
      file.isUnwritten = false;
      if (file.at !== null) file.at += got;
      setU32(gotAt, got);
      return 0;
    },
    fd_pread(descriptor, at, count, from, gotAt) {
      setU32(gotAt, move(fs.readSync, open(descriptor), at, count, Number(from)));
      return 0;
    },
    fd_write(descriptor, at, count, writtenAt) {
      const file = open(descriptor);
      const written = move(fs.writeSync, file, at, count, file.at);
      if (file.at !== null) file.at += written;
      setU32(writtenAt, written);
      return 0;
    },
    fd_seek(descriptor, by, whence, at) {
      const file = open(descriptor);
      if (file.at === null) return ERRNO.ESPIPE;
      const from = whence === 0 ? 0 : whence === 1 ? file.at : fs.fstatSync(file.fd).size;
      if (from + Number(by) < 0) return ERRNO.EINVAL;
      file.at = from + Number(by);
      setU64(at, BigInt(file.at));
      return 0;
    },
    fd_sync(descriptor) {
      fs.fsyncSync(open(descriptor).fd);
      return 0;
    },
    fd_tell(descriptor, at) {
      const file = open(descriptor);
      if (file.at === null) return ERRNO.ESPIPE;
      setU64(at, BigInt(file.at));
      return 0;
    },
    fd_readdir(descriptor, at, len, cookie, usedAt) {
      const file = open(descriptor);
      file.names ??= [".", "..", ...fs.readdirSync(file.path)];
      const into = bytesAt(at, len);
      let used = 0;
      for (let i = Number(cookie); i < file.names.length && used < len; i++) {
        const name = encoder.encode(file.names[i]);
        const entry = new Uint8Array(24 + name.length);
        new DataView(entry.buffer).setBigUint64(0, BigInt(i + 1), true);
        new DataView(entry.buffer).setUint32(16, name.length, true);
        entry.set(name, 24);
        into.set(entry.subarray(0, len - used), used);
        used += Math.min(entry.length, len - used);
      }
      setU32(usedAt, used);
      return 0;
    },
    path_filestat_get(folder, flags, at, len, statusAt) {
      const name = pathOf(folder, at, len);
      const look = flags & FOLLOWS_LINKS ? fs.statSync : fs.lstatSync;
      return putStatus(statusAt, look(name, { bigint: true }));
    },
    path_open(folder, _follows, at, len, wanted, rights, _inherited, flags, descriptorAt) {
      if (flags & ~(FLAGS.append | FLAGS.nonblock)) return ERRNO.EINVAL;
      const name = pathOf(folder, at, len);
      if (wanted & OPEN.folder) {
        if (!fs.statSync(name).isDirectory()) return ERRNO.ENOTDIR;
        fs.accessSync(name, fs.constants.R_OK);
      }
      if (wanted & OPEN.create) makeFolder?.(name);
      const descriptor = freeDescriptor();
      // Windows opens no folders; what is asked of them is asked by their path.
      const fd = wanted & OPEN.folder ? undefined : fs.openSync(name, openFlags(wanted, rights, flags), drafts.get(name) ?? 0o666);
      const status = fd === undefined ? undefined : fs.fstatSync(fd);
      const isAppended = (rights & RIGHTS.write) !== 0n && (flags & FLAGS.append) !== 0;
      const isAnywhere = status?.isFile() === true && !isAppended;
      files.set(descriptor, { fd, at: isAnywhere ? 0 : null, path: name, isAppended, isUnwritten: status?.isFIFO() === true });
      setU32(descriptorAt, descriptor);
      return 0;
    },
    /** A file takes the place of another one, with its mode; where a link stands there, of what the link leads to. */
    path_rename(oldFolder, oldAt, oldLen, newFolder, newAt, newLen) {
      const from = pathOf(oldFolder, oldAt, oldLen);
      drafts.delete(from);
      const to = endOfLinks(pathOf(newFolder, newAt, newLen));
      if (fs.existsSync(to)) fs.chmodSync(from, fs.statSync(to).mode & 0o777);
      fs.renameSync(from, to);
      return 0;
    },
    path_create_directory(folder, at, len) {
      const name = pathOf(folder, at, len);
      if (fs.existsSync(name)) return ERRNO.EEXIST; // of a drive Windows says something else
      fs.mkdirSync(name, { mode: 0o700 });
      return 0;
    },
    path_readlink(folder, at, len, into, room, usedAt) {
      const text = encoder.encode(fs.readlinkSync(pathOf(folder, at, len)));
      const used = Math.min(text.length, room >>> 0);
      bytesAt(into, used).set(text.subarray(0, used));
      setU32(usedAt, used);
      return 0;
    },
    path_unlink_file(folder, at, len) {
      const name = pathOf(folder, at, len);
      fs.unlinkSync(name);
      drafts.delete(name);
      return 0;
    },
    /** Everything is ready: reading waits by itself. */
    poll_oneoff(subscriptionsAt, eventsAt, count, happenedAt) {
      bytesAt(eventsAt, 32 * count).fill(0);
      for (let i = 0; i < count; i++) {
        const subscription = (subscriptionsAt >>> 0) + 48 * i;
        const event = (eventsAt >>> 0) + 32 * i;
        setU64(event, view().getBigUint64(subscription, true));
        view().setUint8(event + 10, view().getUint8(subscription + 8));
        setU64(event + 16, 1n);
      }
      setU32(happenedAt, count);
      return 0;
    },
    proc_exit(status) {
      throw new Exit(status);
    },
  };

  // What WASI has no word for: src/os/wasi. Both give the length of a path that they put, or an error below 0.
  const more = {
    /** The whole path of what a path leads to, without links. */
    real_path: (at, len, into, room) => putPath(slashed(fs.realpathSync.native(pathOf(FOLDER, at, len))), into, room),
    /** The path of a draft, which a file is written to before it takes a place: beside it, or beside what a link leads to from there. */
    draft_path(at, len, mode, into, room) {
      const folder = path.dirname(endOfLinks(pathOf(FOLDER, at, len)));
      removeLeftDrafts(folder);
      const name = slashed(`${folder}/.traceview-${MACHINE}-${process.pid}-${(draftCount += 1)}.part`);
      drafts.set(name, mode);
      return putPath(name, into, room);
    },
  };

  const guarded = (calls, failed) =>
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [
        name,
        (...given) => {
          try {
            return call(...given);
          } catch (error) {
            return failed(errnoOf(error));
          }
        },
      ]),
    );
  return {
    imports: { wasi_snapshot_preview1: guarded(calls, (errno) => errno), traceview: guarded(more, (errno) => -errno) },
    useMemory(given) {
      memory = given;
    },
    /** Drafts of a module that ended before they took their places. */
    removeDrafts() {
      for (const name of drafts.keys()) fs.rmSync(name, { force: true });
    },
  };
}
