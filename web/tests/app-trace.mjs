// Writes traces as an Android app's main thread makes them: five levels that never change, messages
// of the looper below them, frames with measure, layout and draw, a start-up, and a worker.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  isNoStep,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";
import { writeTrace } from "./odd-traces.mjs";

const NAMES = {
  zygote: ["com.android.internal.os.ZygoteInit", "main"],
  caller: ["com.android.internal.os.RuntimeInit$MethodAndArgsCaller", "run"],
  invoke: ["java.lang.reflect.Method", "invoke"],
  thread: ["android.app.ActivityThread", "main"],
  loop: ["android.os.Looper", "loop"],
  poll: ["android.os.MessageQueue", "nativePollOnce"],
  dispatch: ["android.os.Handler", "dispatchMessage"],
  handle: ["android.app.ActivityThread$H", "handleMessage"],
  callback: ["android.os.Handler", "handleCallback"],
  bind: ["android.app.ActivityThread", "handleBindApplication"],
  appCreate: ["android.app.Instrumentation", "callApplicationOnCreate"],
  create: ["android.app.Instrumentation", "callActivityOnCreate"],
  resume: ["android.app.Instrumentation", "callActivityOnResume"],
  receiver: ["android.view.Choreographer$FrameDisplayEventReceiver", "run"],
  frame: ["android.view.Choreographer", "doFrame"],
  traversals: ["android.view.ViewRootImpl", "performTraversals"],
  measure: ["android.view.ViewRootImpl", "performMeasure"],
  layout: ["android.view.ViewRootImpl", "performLayout"],
  draw: ["android.view.ViewRootImpl", "performDraw"],
  mine: ["com.example.app.Feed", "bind"],
  parse: ["com.example.app.Parser", "parse"],
  work: ["com.example.app.Worker", "run"],
};
const ids = Object.fromEntries(Object.keys(NAMES).map((name, ix) => [name, 0x10 + 4 * ix]));

// `shape` is [name, milliseconds of its own, ...shapes inside].
function add(records, thread, now, [name, own, ...inside]) {
  records.push([thread, ids[name], 0, now, now]);
  let at = now + own * 500;
  for (const one of inside) at = add(records, thread, at, one);
  at += own * 500;
  records.push([thread, ids[name], 1, at, at]);
  return at;
}

const message = (...inside) => ["dispatch", 0.02, ...inside];
const idle = (ms) => ["poll", ms];

// A frame in which the app's own code takes `ms` milliseconds.
const frame = (ms) =>
  message([
    "callback",
    0.02,
    [
      "receiver",
      0.02,
      [
        "frame",
        0.1,
        [
          "traversals",
          0.1,
          ["measure", 0.2, ["mine", ms * 0.5]],
          ["layout", 0.1, ["mine", ms * 0.3]],
          ["draw", 0.1, ["mine", ms * 0.2]],
        ],
      ],
    ],
  ]);

const startUp = [
  message(["handle", 0.1, ["bind", 1, ["appCreate", 0.5, ["mine", 40]]]]),
  message(["handle", 0.1, ["create", 0.5, ["mine", 60], ["parse", 20]]]),
  message(["handle", 0.1, ["resume", 0.5, ["mine", 5]]]),
];

// The frames of the trace, each by the time of the app's own code in it; the third is the worst.
export const FRAMES = [4, 12, 90, 6, 9.5, 30, 3, 14.5];

// Parses within parses.
const nested = (levels) => ["parse", 2, ...(levels > 1 ? [nested(levels - 1)] : [])];

export function appTrace({ hasFrames = true } = {}) {
  const records = [];
  const inside = [
    ...startUp,
    ...(hasFrames ? FRAMES : []).flatMap((ms) => [idle(5), frame(ms)]),
    idle(12),
    message(["callback", 0.1, nested(14)]),
  ];
  const shape = [
    "zygote",
    0,
    ["caller", 0, ["invoke", 0, ["thread", 0, ["loop", 0.1, ...inside]]]],
  ];
  add(records, 1, 0, shape);
  const worker = [];
  const parses = Array.from({ length: 500 }, () => ["parse", 0.2]);
  add(worker, 2, 1000, ["work", 10, ["parse", 50], ...parses]);
  return writeTrace({
    threads: [
      [1, "main"],
      [2, "DefaultDispatcher-worker-1"],
      [3, "DefaultDispatcher-worker-2"],
    ],
    methods: Object.entries(NAMES).map(([name, [type, method]]) => [
      ids[name],
      type,
      method,
      "()V",
      "",
      -1,
    ]),
    records: [...records, ...worker],
  });
}

// The trace in a viewer, and a page for it. `open` follows a link in the page that is open, and `openAnew` in a page of
// its own; both wait for what `ready` selects;
// `problems` are the errors that the page threw.
export async function startAppTrace(ready) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-app-"));
  const file = path.join(folder, "app.trace");
  await writeFile(file, appTrace());
  const viewer = await startViewer(file);
  const browser = await startBrowser();
  const page = await browser.context.newPage();
  const problems = watchProblems(page, isNoStep);
  const rest = () => settle(page);
  const open = (link) => followLink(page, viewer, link, ready);
  const openAnew = (link) => openView(page, viewer, link, ready);
  async function stop() {
    await browser.stop();
    await viewer.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const fragment = () => new URLSearchParams(new URL(page.url()).hash.slice(1));
  return { folder, browser, page, problems, rest, open, openAnew, fragment, stop };
}
