// Bundles the page: OUT/index.html, OUT/app.js and OUT/app.css (OUT defaults to web/dist).
import { build } from "esbuild";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const out = path.resolve(process.env.OUT ?? path.join(web, "dist"));

await mkdir(out, { recursive: true });
await build({
  entryPoints: { app: path.join(web, "src/main.tsx") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2021"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
});
await build({
  entryPoints: { app: path.join(web, "src/app.css") },
  outdir: out,
  bundle: true,
  minify: true,
  logLevel: "warning",
});
await copyFile(path.join(web, "src/index.html"), path.join(out, "index.html"));

const sizes = [];
for (const name of ["index.html", "app.js", "app.css"]) {
  const bytes = await readFile(path.join(out, name));
  sizes.push(`${name} ${bytes.length} (${gzipSync(bytes, { level: 9 }).length} gz)`);
}
console.log(sizes.join(", "));
