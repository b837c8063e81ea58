// Writes the traces that a viewer is not made for: no clock, no records, thousands of threads, a
// million calls deep. The layouts are those of docs/formats: a text header, then records.
import { readFileSync } from "node:fs";

const METHODS = [
  [0x10, "com.example.app.Main", "run", "()V", "Main.java", 10],
  [0x14, "com.example.app.Store", "load", "(I)V", "Store.java", 20],
  [0x18, "android.os.MessageQueue", "nativePollOnce", "(JI)V", "MessageQueue.java", -1],
];

// `records` are [thread, method, action, cpu µs, wall µs]; action 0 enters, 1 leaves.
export function writeTrace({
  version = 3,
  clock = "dual",
  isOverflowed = false,
  threads,
  methods = METHODS,
  records,
}) {
  const text = [
    "*version",
    String(version),
    `data-file-overflow=${isOverflowed}`,
    `clock=${clock}`,
    `elapsed-time-usec=${records.length === 0 ? 1000 : records.at(-1)[4]}`,
    `num-method-calls=${records.length}`,
    "clock-call-overhead-nsec=100",
    "vm=art",
    "pid=1",
    "*threads",
    ...threads.map(([id, name]) => `${id}\t${name}`),
    "*methods",
    ...methods.map(([id, ...rest]) => [`0x${id.toString(16)}`, ...rest].join("\t")),
    "*end",
    "",
  ].join("\n");
  const idLength = version === 1 ? 1 : 2;
  const isDual = clock === "dual";
  const length = idLength + 4 + (isDual ? 8 : 4);
  const headLength = version >= 3 ? 32 : 16;
  const data = Buffer.alloc(headLength + records.length * length);
  data.write("SLOW", 0, "latin1");
  data.writeUInt16LE(version, 4);
  data.writeUInt16LE(headLength, 6);
  data.writeBigUInt64LE(1_000_000n, 8);
  if (version >= 3) data.writeUInt16LE(length, 16);
  let at = headLength;
  for (const [thread, method, action, cpu, wall] of records) {
    data.writeUIntLE(thread, at, idLength);
    data.writeUInt32LE((method | action) >>> 0, at + idLength);
    data.writeUInt32LE(clock === "wall" ? wall : cpu, at + idLength + 4);
    if (isDual) data.writeUInt32LE(wall, at + idLength + 8);
    at += length;
  }
  return Buffer.concat([Buffer.from(text, "utf8"), data]);
}

// A call that calls: main work on `thread` from `start`, with `calls` calls inside.
export function burst(thread, start, calls, step = 100) {
  const records = [[thread, 0x10, 0, 0, start]];
  for (let i = 0; i < calls; i++) {
    records.push([thread, 0x14, 0, i * step + 10, start + i * step * 2 + 10]);
    records.push([thread, 0x14, 1, i * step + 70, start + i * step * 2 + 120]);
  }
  const [, , , cpu, wall] = records.at(-1);
  return [...records, [thread, 0x10, 1, cpu + 20, wall + 30]];
}

const MAIN = [[1, "main"]];

function deep(levels) {
  const records = [];
  for (let i = 0; i < levels; i++) records.push([1, 0x14, 0, i, i]);
  for (let i = 0; i < levels; i++) records.push([1, 0x14, 1, levels + i, levels + i]);
  return records;
}

// Whole stacks entered and left with one time stamp, a millisecond apart.
function sampled() {
  const records = [];
  for (let i = 0; i < 60; i++) {
    const time = i * 1000;
    const inner = i % 3 === 0 ? 0x18 : 0x14;
    if (i > 0)
      records.push([1, (i - 1) % 3 === 0 ? 0x18 : 0x14, 1, time, time], [1, 0x10, 1, time, time]);
    records.push([1, 0x10, 0, time, time], [1, inner, 0, time, time]);
  }
  return records;
}

const LONG = "Very$Long".repeat(6700);

const MADE = new URL("../../tests/data/made/", import.meta.url);

export const ODD_TRACES = {
  // A Perfetto trace with method traces of com.app and system_server inside.
  "two-processes": () => readFileSync(new URL("perfetto-two-processes.trace", MADE)),
  "no-records": () => writeTrace({ threads: [...MAIN, [2, "idle"]], records: [] }),
  "one-record": () =>
    writeTrace({ threads: [...MAIN, [2, "idle"]], records: [[1, 0x10, 0, 0, 0]] }),
  "no-length": () =>
    writeTrace({ threads: MAIN, records: [0, 1, 0, 1].map((action) => [1, 0x10, action, 0, 0]) }),
  "wall-only": () => writeTrace({ clock: "wall", threads: MAIN, records: burst(1, 0, 40) }),
  // Some devices write zeros where the thread's CPU time belongs.
  "idle-cpu": () =>
    writeTrace({
      threads: MAIN,
      records: burst(1, 0, 40).map(([thread, method, action, , wall]) => [
        thread,
        method,
        action,
        0,
        wall * 10,
      ]),
    }),
  // 40 calls for which the CPU's clock goes on by more than the wall's, and one that waits.
  "cpu-ahead": () => {
    const loads = Array.from({ length: 40 }, (_, ix) => [
      [1, 0x14, 0, ix * 220, ix * 100 + ((ix * 7) % 13)],
      [1, 0x14, 1, ix * 220 + 200, ix * 100 + 80],
    ]).flat();
    const wait = [
      [1, 0x18, 0, 8800, 4000],
      [1, 0x18, 1, 8800, 5000],
    ];
    const records = [[1, 0x10, 0, 0, 0], ...loads, ...wait, [1, 0x10, 1, 8800, 5000]];
    return writeTrace({ threads: MAIN, records });
  },
  "thread-cpu": () =>
    writeTrace({
      clock: "thread-cpu",
      threads: [...MAIN, [2, "worker"]],
      records: [...burst(1, 0, 40), ...burst(2, 0, 20)],
    }),
  "version-1": () =>
    writeTrace({
      version: 1,
      clock: "thread-cpu",
      threads: [...MAIN, [2, "worker"]],
      records: [...burst(1, 0, 40), ...burst(2, 0, 20)],
    }),
  sampled: () => writeTrace({ threads: MAIN, records: sampled() }),
  "many-threads": () => {
    const threads = Array.from({ length: 10_000 }, (_, ix) => [ix + 1, `pool-7-thread-${ix + 1}`]);
    return writeTrace({ threads, records: threads.flatMap(([id]) => burst(id, id * 50, 3)) });
  },
  // More levels than one answer about a tree has rows.
  deep: () => writeTrace({ clock: "wall", threads: MAIN, records: deep(30_000) }),
  "very-deep": () => writeTrace({ clock: "wall", threads: MAIN, records: deep(1_000_000) }),
  "turning-names": () =>
    writeTrace({
      threads: [[1, "main \u202eniam"]],
      methods: [
        [0x10, "com.example.\u202eniaM", "run", "()V", "Main.java", 10],
        [0x14, "com.example.Store", "load\u2066\u200b\u{e0041}", "()V", "Store.java", 20],
      ],
      records: burst(1, 0, 10),
    }),
  "names-from-the-right": () =>
    writeTrace({
      threads: [
        [1, "שלום"],
        [2, "שלום"],
      ],
      methods: [
        [0x10, "com.example.אבג", "דהו", "()V", "Main.java", 10],
        [0x14, "com.example.Store", "زحط", "()V", "Store.java", 20],
      ],
      records: [...burst(1, 0, 10), ...burst(2, 0, 10)],
    }),
  // Of two calls of a method the second one is open at the end.
  "open-at-end": () =>
    writeTrace({
      threads: MAIN,
      records: [
        [1, 0x10, 0, 0, 0],
        [1, 0x14, 0, 10, 10],
        [1, 0x14, 1, 900, 900],
        [1, 0x10, 1, 1000, 1000],
        [1, 0x10, 0, 1100, 1100],
        [1, 0x14, 0, 1200, 1200],
        [1, 0x18, 0, 1300, 1300],
        [1, 0x18, 1, 1400, 4000],
        [1, 0x18, 0, 1500, 4100],
      ],
    }),
  // A record names a method that the file does not list.
  "nameless-method": () =>
    writeTrace({ threads: MAIN, methods: METHODS.slice(1), records: burst(1, 0, 10) }),
  "long-names": () =>
    writeTrace({
      threads: [[1, `main ${LONG}`]],
      methods: [
        [0x10, `com.example.${LONG}`, "run", `(L${LONG};)V`, `${LONG}.java`, 10],
        [0x14, "com.example.Store", LONG, "()V", "Store.java", 20],
      ],
      records: burst(1, 0, 10),
    }),
};

// A trace of version 1 with one thread, in which `methods` methods are called one after the other.
export function traceOf(methods, records = 2000) {
  const head = `*version\n1\nclock=global\n*threads\n1\tmain\n*methods\n${Array.from(
    { length: methods },
    (_, ix) => `0x${(4 * (ix + 1)).toString(16)}\tcom.example.Small\tm${ix}\t()V\tSmall.java\n`,
  ).join("")}*end\n`;
  const body = Buffer.alloc(16 + records * 9);
  body.write("SLOW");
  body.writeUInt16LE(1, 4);
  body.writeUInt16LE(16, 6);
  for (let ix = 0; ix < records; ix++) {
    const at = 16 + ix * 9;
    body.writeUInt8(1, at);
    body.writeUInt32LE(4 * ((Math.floor(ix / 2) % methods) + 1) + (ix % 2), at + 1);
    body.writeUInt32LE(ix * 10, at + 5);
  }
  return Buffer.concat([Buffer.from(head), body]);
}
