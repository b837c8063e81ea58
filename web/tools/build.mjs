// Bundles the page into OUT (default web/dist): index.html with its style and its script in it, and the content policy
// that lets those run and no others. And site.js, the script of a site's own pages; and flame.js, the script that flame
// graphs have in them: to be read, so it is not made short.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
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
  return outputFiles[0].text.trim();
}

// `mark` stands in `text` once.
function replaceOne(text, mark, by) {
  const parts = text.split(mark);
  if (parts.length !== 2) throw new Error(`${mark} is there ${parts.length - 1} times`);
  return parts.join(by);
}

const digest = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const style = await bundle("app.css", {});
const script = await bundle("main.tsx", {
  format: "iife",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
});
const template = await readFile(path.join(web, "src/index.html"), "utf8");
const link = '<link rel="stylesheet" href="app.css" />';
const styled = replaceOne(template, link, `<style>${style}</style>`);
const page = replaceOne(styled, '<script src="main.js"></script>', `<script>${script}</script>`);
const policy = [
  "default-src 'none'",
  `script-src ${digest(script)}`,
  `style-src ${digest(style)}`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
const site = await bundle("site.ts", {
  format: "iife",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
});
const picture = await bundle("picture/main.ts", {
  format: "iife",
  target: ["es2022"],
  minify: false,
});
// It stands in a CDATA section.
if (picture.includes("]]>")) throw new Error("]]> ends the script of flame graphs early");

await mkdir(out, { recursive: true });
await writeFile(path.join(out, "index.html"), page);
await writeFile(path.join(out, "policy"), policy);
await writeFile(path.join(out, "flame.js"), `${picture}\n`);
await writeFile(path.join(out, "site.js"), `${site}\n`);
