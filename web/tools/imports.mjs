// Reads the source files of a folder and what each of them imports. A file is read as text, not parsed: whatever looks
// like an import counts as one, so that a comment can be refused in error, but no import can be overlooked.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

const GAP = String.raw`(?:\s|/\*[^]*?\*/|//[^\n]*\n)*`;
const TEXT = String.raw`(["'])((?:\\.|(?!\1)[^\\\n])*)\1`;

// import "x", import ... from "x", export ... from "x", each also with `type`; not the text "from".
const STATIC = new RegExp(String.raw`(?<![\w"'.$])(?:from|import)${GAP}${TEXT}`, "g");
// import("x"), also as a type, and require("x"); the text is missing where the address is not a plain one.
const CALL = new RegExp(
  String.raw`(?<![\w.$])(?:import|require)${GAP}\(${GAP}(?:${TEXT}${GAP}[),])?`,
  "g",
);

function importsIn(text) {
  const faults = [];
  const targets = [];
  for (const [, , target] of text.matchAll(STATIC)) targets.push(target);
  for (const [, , target] of text.matchAll(CALL)) {
    if (target === undefined) faults.push("imports an address that is not a plain string");
    else targets.push(target);
  }
  if (targets.some((target) => target.includes("\\")))
    faults.push("escapes a letter of an address");
  if (/^\s*\/\/\/\s*<reference/m.test(text)) faults.push("refers to a file by a /// comment");
  return { targets, faults };
}

async function* filesIn(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(full);
    else yield full;
  }
}

const CODE = /\.[cm]?[jt]sx?$/;
const ENDINGS = ["", ".ts", ".tsx", "/index.ts", "/index.tsx"];

// Every file of code and style below `src`: its name, its text and what it imports. `imports` are names of files below
// src, `packages` names of packages.
export async function readSources(src) {
  const texts = new Map();
  for await (const file of filesIn(src))
    if (CODE.test(file) || file.endsWith(".css"))
      texts.set(path.relative(src, file).split(path.sep).join("/"), await readFile(file, "utf8"));
  const resolve = (name, target) => {
    const to = path.posix.normalize(path.posix.join(path.posix.dirname(name), target));
    return ENDINGS.map((ending) => to + ending).find((candidate) => texts.has(candidate));
  };
  return [...texts].sort().map(([name, text]) => {
    const isCode = CODE.test(name);
    const { targets, faults } = isCode ? importsIn(text) : { targets: [], faults: [] };
    const imports = new Set();
    const packages = new Set();
    for (const target of targets) {
      if (!/^[./]/.test(target)) packages.add(target);
      else {
        const to = resolve(name, target);
        if (to === undefined) faults.push(`imports what is not there (${target})`);
        else imports.add(to);
      }
    }
    return { name, text, isCode, isTest: /\.test\./.test(name), imports, packages, faults };
  });
}
