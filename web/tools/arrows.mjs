// Checks the rules that no compiler checks: arrows between folders, lengths, forbidden words.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

const ORDER = ["base", "model", "api", "state", "render", "views"];
const MAX_LINES = 300;
const MAX_COMPONENT_LINES = 150;

async function* sources(dir) {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) yield* sources(full);
    else if (/\.(ts|tsx|css)$/.test(entry.name)) yield full;
  }
}

function importFaults(file, folder, text) {
  const faults = [];
  for (const [, target] of text.matchAll(/from "(\.[^"]+)"/g)) {
    const to = path.relative(
      path.dirname(path.dirname(file)),
      path.resolve(path.dirname(file), target),
    );
    const toFolder = to.split(path.sep)[0];
    if (ORDER.indexOf(toFolder) > ORDER.indexOf(folder))
      faults.push(`${folder} may not use ${toFolder} (${target})`);
  }
  return faults;
}

function wordFaults(folder, text) {
  const faults = [];
  const code = text
    .replace(/\/\/.*$/gm, "")
    .replace(/(["`'])(?:\\.|(?!\1)[^\\\n])*\1/g, '""')
    .replace(/>[^<>{}=;()]*</g, "><");
  if (/:\s*any\b|<any>|\bas any\b/.test(code)) faults.push("uses any");
  if (/[\w)\]]!(?=[.;,)\[\]\s])(?!=)/.test(code)) faults.push("uses a non-null !");
  if (
    folder !== "api" &&
    /\bas (?!const\b)[A-Za-z{[(]/.test(code.replace(/^import.*$/gm, "").replace(/\* as \w+/g, ""))
  )
    faults.push("uses a type assertion (as) outside api");
  if (/innerHTML|insertAdjacentHTML|document\.write/.test(code)) faults.push("writes markup");
  if (folder !== "api" && /\bfetch\(/.test(code)) faults.push("fetches outside api");
  if (/^(let|var) /m.test(code)) faults.push("has module-level mutable state");
  return faults;
}

// The faults of every source file below `src`, one line each.
export async function arrowFaults(src) {
  const faults = [];
  for await (const file of sources(src)) {
    const text = await readFile(file, "utf8");
    const name = path.relative(src, file);
    const folder = name.split(path.sep)[0];
    const lines = text.split("\n").length - 1;
    const limit = name.endsWith(".tsx") ? MAX_COMPONENT_LINES : MAX_LINES;
    if (lines > limit) faults.push(`${name}: ${lines} lines, limit ${limit}`);
    if (!ORDER.includes(folder) || name.endsWith(".css")) continue;
    for (const fault of importFaults(file, folder, text)) faults.push(`${name}: ${fault}`);
    if (!name.includes(".test."))
      for (const fault of wordFaults(folder, text)) faults.push(`${name}: ${fault}`);
  }
  return faults;
}
