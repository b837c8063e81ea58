// What every build of a page needs: bundles by esbuild, a document with its style and its scripts in it, and the policy that
// lets those run and no others.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { textOfBytes } from "./base93.mjs";

export const WEB = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

// One entry of src as one text.
export async function bundle(entry, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [path.join(WEB, "src", entry)],
    outdir: WEB,
    bundle: true,
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    write: false,
    format: "iife",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
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

// A block of text that the page's script reads. It may have anything in it but the end of such a block.
export function textBlock(id, type, text) {
  if (/<\/script|<!--/i.test(text)) throw new Error(`the block ${id} would end early`);
  return `<script type="${type}" id="${id}">${text}</script>`;
}

// The document of the page: with the script of `entry`, and `before` in front of it.
export async function pageOf(entry, before = "") {
  const style = await bundle("app.css");
  const script = await bundle(entry);
  const template = await readFile(path.join(WEB, "src/index.html"), "utf8");
  const link = '<link rel="stylesheet" href="app.css" />';
  const styled = replaceOne(template, link, `<style>${style}</style>`);
  const mark = '<script src="main.js"></script>';
  return {
    html: replaceOne(styled, mark, `${before}<script>${script}</script>`),
    script: digest(script),
    style: digest(style),
  };
}

// Stands in the packed page where its packed part belongs.
const PACKED = "<!--tv:packed-->";

// The page of `pageOf` with all but its markup packed: for a file in which each byte counts. `pack` puts the packed part into
// the finished markup. The markup is in that part, too, so that the page can make other pages.
async function packedPage(entry, worker, data) {
  const style = await bundle("app.css");
  const script = await bundle(entry);
  const template = await readFile(path.join(WEB, "src/index.html"), "utf8");
  const unpack = await bundle("packed.ts");
  const unstyled = replaceOne(template, '<link rel="stylesheet" href="app.css" />', "");
  const app = '<div id="app"></div>';
  const begun = replaceOne(unstyled, app, `<script>${unpack}</script>${app}`);
  const packedBlock = `<script type="text/plain" id="tv-packed">${PACKED}</script>`;
  const end = '<i id="tv-end" hidden></i>';
  const pack = (markup) => {
    const parts = { style, worker, template: markup, script };
    const packed = textOfBytes(gzipSync(JSON.stringify(parts), { level: 9 }));
    return replaceOne(markup, PACKED, packed);
  };
  return {
    html: replaceOne(begun, '<script src="main.js"></script>', packedBlock + data + end),
    script: `${digest(unpack)} ${digest(script)}`,
    style: digest(style),
    pack,
  };
}

// A page that no program serves has its policy in itself.
function withPolicy(html, policy) {
  const mark = '<meta charset="utf-8" />';
  const meta = `<meta http-equiv="content-security-policy" content="${policy.join("; ")}" />`;
  return replaceOne(html, mark, `${mark}${meta}`);
}

const NO_SCRIPT =
  "<noscript>This page needs JavaScript. The same numbers: traceview top FILE.</noscript>";

// The page that stands alone, which has its worker in it. `data` are further blocks, `still` is what it shows before its
// script runs, and where no script does.
export async function alonePage({ data, still, connect, title, isPacked = false }) {
  const worker = await bundle("engine/worker.ts");
  const {
    html,
    script,
    style,
    pack = (markup) => markup,
  } = isPacked
    ? await packedPage("alone.tsx", worker, data)
    : await pageOf("alone.tsx", textBlock("tv-worker", "text/plain", worker) + data);
  const policy = [
    "default-src 'none'",
    `script-src ${script} 'wasm-unsafe-eval'`,
    `style-src ${style}`,
    `connect-src ${connect}`,
    "worker-src 'self' blob:",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  const without = replaceOne(html, NO_SCRIPT, "");
  const titled = replaceOne(without, "<title>traceview</title>", `<title>${title}</title>`);
  const app = '<div id="app"></div>';
  return pack(withPolicy(replaceOne(titled, app, `<div id="app">${still}</div>`), policy));
}

// The page that stands alone, with marks where a report has its title, its data and what it shows without a script.
export function reportTemplate() {
  return alonePage({
    title: "<!--tv:title-->",
    still: "<!--tv:still-->",
    data: "<!--tv:data-->",
    connect: "'none'",
    isPacked: true,
  });
}
