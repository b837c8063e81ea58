// Plants wrong files in a small made source, one at a time, and sees each refused by its own fault and no other.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { arrowFaults } from "./arrows.mjs";

const HOUSE = {
  order: ["base", "model", "api", "views"],
  packages: { "": ["preact"], views: ["preact"] },
  roots: ["main.tsx"],
  rooms: {
    model: {
      ".": { uses: [] },
      tree: { uses: ["."] },
    },
    views: {
      table: { uses: [], shows: ["grid"] },
      flame: { uses: ["table"], shows: ["tab"] },
      ".": { uses: ["flame"] },
    },
  },
};

// Right in every way: each kind of import, to each place where it may go.
const RIGHT = {
  "base/time.ts": "export const now = 1;\n",
  "model/trace.ts": 'export { now } from "../base/time";\nexport interface Trace {}\n',
  "model/tree/rows.ts": 'import type { Trace } from "../trace";\n',
  "api/client.ts": "export const ask = () => fetch(`x`) as unknown;\n",
  "views/table/cell.ts":
    'import type { Trace } from "../../model/trace";\nexport const cell = 1;\n',
  "views/table/grid.tsx":
    'import { h } from "preact";\nimport {\n  cell, // any of them\n} from "./cell";\nexport const grid = h;\n',
  "views/flame/tab.ts":
    'import type { Trace } from "../../model/trace";\nimport { grid } from "../table/grid";\nexport const tab = (from: "from" | "to") => grid;\n',
  "views/page.ts": 'import { tab } from "./flame/tab";\nimport "./page.css";\n',
  "views/page.css": "p { color: red }\n",
  "views/page.test.ts": 'import test from "node:test";\nimport { tab } from "./flame/tab";\n',
  "main.tsx": 'import { render } from "preact";\nvoid import("./views/page");\n',
};

async function faultsOf(files) {
  const src = await mkdtemp(path.join(os.tmpdir(), "traceview-arrows-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(src, name)), { recursive: true });
      await writeFile(path.join(src, name), text);
    }
    return await arrowFaults(src, HOUSE);
  } finally {
    await rm(src, { recursive: true, force: true });
  }
}

test("a right source has no faults", async () => {
  assert.deepEqual(await faultsOf(RIGHT), []);
});

// Sources of one folder.
const many = (count) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`base/part${i}.ts`, `export const part = ${i};\n`]),
  );

test("a folder may have 25 sources, and tests beside them", async () => {
  const files = { ...RIGHT, ...many(24), "base/time.test.ts": 'import { now } from "./time";\n' };
  assert.deepEqual(await faultsOf(files), []);
});

const WRONG = [
  {
    name: "a folder of 26 sources is to be divided",
    files: many(25),
    faults: ["base: 26 sources, limit 25: divide it into rooms"],
  },
  {
    name: "an inner folder may not import upward",
    files: {
      "model/tree/rows.ts": 'import "../trace";\nimport { ask } from "../../api/client";\n',
    },
    faults: ["model/tree/rows.ts: model may not use api (api/client.ts)"],
  },
  {
    name: "a room that the table does not name is refused, and what it imports",
    files: {
      "base/inner/deep.ts": 'import type { Trace } from "../../model/trace";\n',
    },
    faults: [
      "base/inner/deep.ts: lies in a room that the house has not: base/inner",
      "base/inner/deep.ts: base may not use model (model/trace.ts)",
    ],
  },
  {
    name: "a re-export may not lead upward",
    files: { "base/time.ts": 'export const now = 1;\nexport * from "../views/table/grid";\n' },
    faults: [
      "base/time.ts: base may not use views (views/table/grid.tsx)",
      "a circle of imports: base/time.ts, model/trace.ts, views/table/cell.ts, views/table/grid.tsx",
    ],
  },
  {
    name: "an import without names may not lead upward",
    files: { "model/columns.ts": 'import "../api/client";\n' },
    faults: ["model/columns.ts: model may not use api (api/client.ts)"],
  },
  {
    name: "a dynamic import may not lead upward",
    files: { "model/columns.ts": 'export const late = () => import("../views/flame/tab");\n' },
    faults: ["model/columns.ts: model may not use views (views/flame/tab.ts)"],
  },
  {
    name: "the type of a module above may not be named, not even over several lines",
    files: {
      "model/columns.ts":
        'export type Ask = typeof import(\n  // the client\n  "../api/client"\n).ask;\n',
    },
    faults: ["model/columns.ts: model may not use api (api/client.ts)"],
  },
  {
    name: "an address that is put together is refused",
    files: {
      "model/columns.ts": 'export const late = () => import("./trace" + "/../../api/client");\n',
    },
    faults: ["model/columns.ts: imports an address that is not a plain string"],
  },
  {
    name: "an address in backquotes is refused",
    files: { "model/columns.ts": "export const late = () => import(`../api/client`);\n" },
    faults: ["model/columns.ts: imports an address that is not a plain string"],
  },
  {
    name: "an address with an escape is refused",
    files: { "model/columns.ts": 'import "../\\x61pi/client";\n' },
    faults: [
      "model/columns.ts: escapes a letter of an address",
      "model/columns.ts: imports what is not there (../\\x61pi/client)",
    ],
  },
  {
    name: "a room's private file is not for other rooms",
    files: { "views/flame/card.ts": 'import { cell } from "../table/cell";\n' },
    faults: ["views/flame/card.ts: views/table does not show cell (views/table/cell.ts)"],
  },
  {
    name: "nor for the root of src",
    files: { "main.tsx": 'import "./views/page";\nimport "./views/table/cell";\n' },
    faults: ["main.tsx: views/table does not show cell (views/table/cell.ts)"],
  },
  {
    name: "a room may not use a room without an arrow",
    files: { "views/table/foot.ts": 'import { tab } from "../flame/tab";\n' },
    faults: ["views/table/foot.ts: views/table may not use views/flame (views/flame/tab.ts)"],
  },
  {
    name: "a room may not use the frame around it",
    files: { "views/table/foot.ts": 'import "../page";\n' },
    faults: ["views/table/foot.ts: views/table may not use the root of views (views/page.ts)"],
  },
  {
    name: "a folder without leave may not use a package",
    files: { "model/columns.ts": 'import { h } from "preact";\n' },
    faults: ["model/columns.ts: model may not use the package preact"],
  },
  {
    name: "a file at the root of src, or in a folder of its own, is refused",
    files: { "extra.ts": "export {};\n", "more/extra.ts": "export {};\n" },
    faults: [
      "extra.ts: may not lie at the root of src",
      "more/extra.ts: lies in a folder that the house has not: more",
    ],
  },
  {
    name: "a script that no compiler checks is refused",
    files: { "model/columns.js": "export {};\n" },
    faults: ["model/columns.js: is neither .ts nor .tsx"],
  },
  {
    name: "a test is used by nothing",
    files: { "views/more.ts": 'import "./page.test";\n' },
    faults: ["views/more.ts: uses a test (views/page.test.ts)"],
  },
  {
    name: "a circle of types inside a room is refused",
    files: {
      "views/table/cell.ts": 'import type { grid } from "./grid";\nexport const cell = 1;\n',
    },
    faults: ["a circle of imports: views/table/cell.ts, views/table/grid.tsx"],
  },
  {
    name: "forbidden words in an inner folder are refused",
    files: {
      "views/table/words.ts": [
        "let count = 0;",
        "export const seen = new Map<string, number>();",
        "export const ask = () => fetch(`x`);",
        "export const list: Map<string, any> = new Map();",
        "export const first = (x: unknown) => x as string;",
        "export const sure = (x: string | null) => x!.length;",
        "export const write = (e: Element) => (e.innerHTML = ``);",
        "",
      ].join("\n"),
    },
    faults: [
      "uses any",
      "uses a non-null !",
      "uses a type assertion (as) outside api and engine",
      "writes markup",
      "speaks to the program outside api",
      "has module-level mutable state",
    ].map((fault) => `views/table/words.ts: ${fault}`),
  },
  {
    name: "a file and a component may not grow past their limits",
    files: {
      "views/table/long.ts": "\n".repeat(301),
      "views/table/long-part.tsx": "\n".repeat(151),
    },
    faults: [
      "views/table/long-part.tsx: 151 lines, limit 150",
      "views/table/long.ts: 301 lines, limit 300",
    ],
  },
  {
    name: "the table may not show and allow what nothing uses",
    files: { "views/flame/tab.ts": "export const tab = 1;\n" },
    faults: [
      "tools/house.mjs: views/table shows grid, which nothing outside uses",
      "tools/house.mjs: views: flame -> table is allowed and not used",
    ],
  },
];

for (const { name, files, faults } of WRONG)
  test(name, async () => {
    assert.deepEqual((await faultsOf({ ...RIGHT, ...files })).sort(), [...faults].sort());
  });
