// Usage: node tools/site.mjs OUT ENGINE EXPORTS EXAMPLE [HOST...]
// Leaves the static site in the folder OUT: the page, the engine, the engine that knows all formats of exports, libzstd's decoder, the example, and
// the service worker that keeps them for when there is no network. HOSTs are those that ?url= may fetch traces from besides the site's own (docs/static-site.md).
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { alonePage, bundle, reportTemplate, textBlock } from "./bundle.mjs";
import { zstdDecoder, zstdLicense } from "./zstd.mjs";

const [out, engine, exports, example, ...hosts] = process.argv.slice(2);
if (example === undefined) {
  console.error("usage: node tools/site.mjs OUT ENGINE EXPORTS EXAMPLE [HOST...]");
  process.exit(2);
}
for (const host of hosts) {
  const { origin } = new URL(host);
  if (origin !== host || !/^https?:$/.test(new URL(host).protocol)) {
    console.error(`site: ${host} is no origin such as https://ci.example.com`);
    process.exit(2);
  }
}

const hashOf = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
// A file's name changes with its contents, so that an old page never has a new engine.
const named = (file, bytes) => {
  const name = path.basename(file);
  const dot = name.indexOf(".");
  return `${name.slice(0, dot)}-${hashOf(bytes)}${name.slice(dot)}`;
};

const code = await readFile(engine);
const exportsCode = await readFile(exports);
const trace = await readFile(example);
const template = await reportTemplate();
const decoder = await zstdDecoder();
const files = {
  engine: named(engine, code),
  exports: named(exports, exportsCode),
  example: named(example, trace),
  report: named("report.html", template),
  zstd: named("zstd.wasm", decoder),
};
const page = {
  engine: files.engine,
  exports: files.exports,
  report: files.report,
  zstd: files.zstd,
  example: { name: path.basename(example), bytes: trace.length, address: files.example },
  hosts,
};
const html = await alonePage({
  title: "traceview",
  still: "<p>This page needs JavaScript and WebAssembly.</p>",
  data: textBlock("tv-page", "application/json", JSON.stringify(page)),
  connect: ["'self'", ...hosts].join(" "),
});
const kept = ["./", files.engine, files.exports, files.example, files.report, files.zstd];
const worker = await bundle("api/engine/offline.ts", {
  define: {
    KEPT: JSON.stringify(kept),
    VERSION: JSON.stringify(hashOf(html + kept.join())),
  },
});

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await writeFile(path.join(out, "index.html"), html);
await writeFile(path.join(out, files.engine), code);
await writeFile(path.join(out, files.exports), exportsCode);
await writeFile(path.join(out, files.example), trace);
await writeFile(path.join(out, files.report), template);
await writeFile(path.join(out, files.zstd), decoder);
await writeFile(path.join(out, "zstd-LICENSE.txt"), await zstdLicense());
await writeFile(path.join(out, "sw.js"), `${worker}\n`);
