// Bundles the page into OUT (default web/dist): index.html with its style and the script of the first picture in it,
// the content policy that lets those run and no others, and app.js, which that script imports later.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const out = path.resolve(process.env.OUT ?? path.join(web, "dist"));

async function bundle(entry, options) {
  const { outputFiles } = await build({
    entryPoints: [path.join(web, "src", entry)],
    outdir: out,
    bundle: true,
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    write: false,
    ...options,
  });
  return outputFiles;
}

const [style] = await bundle("app.css", {});
const pieces = await bundle("main.tsx", {
  format: "esm",
  splitting: true,
  chunkNames: "[name]",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
});
const piece = (name) => {
  const found = pieces.find((file) => path.basename(file.path) === name);
  if (found === undefined) throw new Error(`the bundle has no ${name}`);
  return found.text.trim();
};

// What both scripts use stands in the first one, as an object with the exports of the module that esbuild made of it:
// fetched by its address, it would come too late.
const SHARED = "traceviewShared";
const membersOf = (list) => list.replace(/([\w$]+) as ([\w$]+)/g, "$1:$2");

function exportsAsObject(text) {
  const found = /export\{([^{}]*)\};?$/.exec(text);
  if (found === null) throw new Error("the shared module has no exports");
  const swapped = found[1].replace(/([\w$]+) as ([\w$]+)/g, "$2 as $1");
  return `const ${SHARED}=(()=>{${text.slice(0, found.index)}return{${membersOf(swapped)}}})();`;
}

function importsFromObject(text) {
  const made = text.replace(
    /^import\{([^{}]*)\}from"\.\/chunk\.js";/,
    (_, list) => `const{${membersOf(list)}}=${SHARED};`,
  );
  if (/^import\b/m.test(made)) throw new Error("a script imports what is not in the page");
  return made;
}

// `mark` stands in `text` once.
function replaceOne(text, mark, by) {
  const parts = text.split(mark);
  if (parts.length !== 2) throw new Error(`${mark} is there ${parts.length - 1} times`);
  return parts.join(by);
}

const first = replaceOne(
  importsFromObject(piece("main.js")),
  'import("./late.js")',
  'import("./app.js")',
);
// Nearly all of it runs for the first picture: a browser that knows this word reads each function once, not twice.
const script = `//# allFunctionsCalledOnLoad
${exportsAsObject(piece("chunk.js"))}(()=>{${first}})();`;
const rest = importsFromObject(piece("late.js"));

const digest = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const template = await readFile(path.join(web, "src/index.html"), "utf8");
const styled = replaceOne(
  template,
  '<link rel="stylesheet" href="app.css" />',
  `<style>${style.text}</style>`,
);
const page = replaceOne(styled, '<script src="main.js"></script>', `<script>${script}</script>`);
const policy = [
  "default-src 'none'",
  `script-src 'self' ${digest(script)}`,
  `style-src ${digest(style.text)}`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

await mkdir(out, { recursive: true });
const sizes = [];
for (const [name, text] of [
  ["index.html", page],
  ["policy", policy],
  ["app.js", rest],
]) {
  await writeFile(path.join(out, name), text);
  sizes.push(`${name} ${text.length} (${gzipSync(text, { level: 9 }).length} gz)`);
}
console.log(sizes.join(", "));
