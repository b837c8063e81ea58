// Bundles the page into OUT (default web/dist): index.html with its style and its script in it, and the content policy
// that lets those run and no others. And site.js, the script of a site's own pages; and flame.js, the script that flame
// graphs have in them: to be read, so it is not made short. And report.html: the page that stands alone, with marks where a
// report has its title, its data and what it shows without a script. And zstd.wasm, which a report with a long trace has in it.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { bundle, pageOf, reportTemplate, WEB } from "./bundle.mjs";
import { zstdDecoder } from "./zstd.mjs";

const out = path.resolve(process.env.OUT ?? path.join(WEB, "dist"));

const { html, script, style } = await pageOf("main.tsx");
const policy = [
  "default-src 'none'",
  `script-src ${script}`,
  `style-src ${style}`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
const site = await bundle("site.ts");
const picture = await bundle("picture/main.ts", { minify: false });
// It stands in a CDATA section.
if (picture.includes("]]>")) throw new Error("]]> ends the script of flame graphs early");

await mkdir(out, { recursive: true });
await writeFile(path.join(out, "index.html"), html);
await writeFile(path.join(out, "policy"), policy);
await writeFile(path.join(out, "flame.js"), `${picture}\n`);
await writeFile(path.join(out, "site.js"), `${site}\n`);
await writeFile(path.join(out, "report.html"), await reportTemplate());
await writeFile(path.join(out, "zstd.wasm"), await zstdDecoder());
