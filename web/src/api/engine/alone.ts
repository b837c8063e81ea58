// A page that stands alone finds everything in its own document, or beside it: the worker's script and, in a report, the engine
// and the trace as blocks of text; on a static site the engine and the example as files (docs/static-site.md).

import { bytesOfBase93 } from "../../base/base93";
import { visibleText } from "../../base/text";
import { damagedPart, type Decoder } from "../../engine/messages";
import type { Shared } from "../../model/page/report-note";
import { fieldsOf, listOf, numberOr, textOr, type Fields } from "../check";
import type { Source } from "../source";
import type { EngineContent, Example } from "./engine-content";
import type { Sides } from "./compared-traces";
import { addressed } from "./own-address";
import { keptWish, type Wish } from "./trace-files";
import { createEngineSource } from "./engine-source";
import { keptTrace, oldBefore, shownBefore, type KeptTrace } from "./kept-traces";
import { takeOffers } from "./opener-messages";
import {
  createEngineWorker,
  type EngineWorker,
  type PagePieces,
  type TraceFile,
} from "./engine-worker";
import { block, bytesOfRow } from "./data-blocks";

const WORKER = "tv-worker";
const PAGE = "tv-page";
const ENGINE = "tv-engine";
const ZSTD = "tv-zstd";
const REPORT = "tv-report";
const TRACE = "tv-trace";
const OLD = "tv-old";
const MORE = "tv-more";
const TEMPLATE = "tv-template";
const PACKED = "tv-packed";
// Where the template has what is packed in it (web/tools/bundle.mjs).
const PACKED_MARK = "<!--tv:packed-->";

function fieldsIn(id: string): Fields {
  const text = block(id);
  return text === null ? {} : fieldsOf(JSON.parse(text), id);
}

const blobOf = (text: string): Blob => new Blob([bytesOfBase93(text.trim())]);

async function unpacked(text: string): Promise<ArrayBuffer> {
  const unpacking = blobOf(text).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacking).arrayBuffer();
}

const damaged = (part: string): Error => new Error(damagedPart(part));

async function fetchModule(address: string): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the engine of this page is not there (${response.status})`);
  // While it comes, where the host says what it is.
  return response.headers.get("content-type") === "application/wasm"
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

async function compileEngine(page: Fields): Promise<WebAssembly.Module> {
  const inside = block(ENGINE);
  if (inside !== null)
    try {
      return await WebAssembly.compile(await unpacked(inside));
    } catch {
      throw damaged("the engine");
    }
  return fetchModule(textOr(page, "engine", ""));
}

// libzstd's decoder, as a block or as a file.
function decoderIn(page: Fields): Decoder {
  const inside = block(ZSTD);
  if (inside !== null) return blobOf(inside);
  const zstd = textOr(page, "zstd", "");
  // A worker's own address is that of its script, so it is told a whole one.
  return zstd === "" ? "" : new URL(zstd, location.href).href;
}

// The module with all formats is fetched when it is needed first; where that fails, once more the next time.
function createExportsModule(address: string): () => Promise<WebAssembly.Module> {
  let module: Promise<WebAssembly.Module> | null = null;
  return () => {
    module ??= fetchModule(address).catch((problem: unknown) => {
      module = null;
      throw problem;
    });
    return module;
  };
}

// A page of the trace is made of this page's own parts, or of those that lie beside it.
async function takePieces(page: Fields): Promise<PagePieces> {
  const inside = block(ENGINE);
  if (inside !== null) {
    const template = block(TEMPLATE) ?? "";
    return {
      template: template.replace(PACKED_MARK, () => block(PACKED) ?? ""),
      engine: await blobOf(inside).arrayBuffer(),
    };
  }
  const [template, engine] = await Promise.all(
    ["report", "exports"].map(async (part) => {
      const response = await fetch(textOr(page, part, ""));
      if (!response.ok) throw new Error(`a part of this page is not there (${response.status})`);
      return response;
    }),
  );
  const packing = engine?.body?.pipeThrough(new CompressionStream("gzip"));
  return {
    template: (await template?.text()) ?? "",
    engine: await new Response(packing).arrayBuffer(),
  };
}

function exampleIn(page: Fields): Example | null {
  if (page["example"] === undefined) return null;
  const fields = fieldsOf(page["example"], "example");
  return {
    name: textOr(fields, "name", ""),
    bytes: numberOr(fields, "bytes", 0),
    address: textOr(fields, "address", ""),
  };
}

// What stands for a sum of the bytes, where the page has one and the browser computes it.
async function isWhole(bytes: Blob, sum: string): Promise<boolean> {
  const { subtle } = crypto as Partial<Crypto>;
  if (sum === "" || subtle === undefined) return true;
  const digest = new Uint8Array(await subtle.digest("SHA-256", await bytes.arrayBuffer()));
  return sum === [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// All of a trace in the page, `what` in words.
async function takeWhole(row: Element | null, about: Fields, what: string): Promise<Blob> {
  if (row === null) throw damaged(what);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of bytesOfRow(row)) pieces.push(piece);
  const bytes = new Blob(pieces);
  if (!(await isWhole(bytes, textOr(about, "sha256", "")))) throw damaged(what);
  return bytes;
}

// A trace whose lengths are said is unpacked while the document comes; gzip, and zstd by libzstd, have a sum that is checked then. Of two traces each is taken as a whole, so
// that their sides can be swapped.
async function takeTrace(report: Fields | null): Promise<TraceFile> {
  if (report === null) throw damaged("what is said about the trace");
  const row = document.getElementById(TRACE);
  const unpacked = numberOr(report, "unpacked", 0);
  if (row !== null && unpacked > 0 && oldIn(report) === null)
    return { packed: numberOr(report, "packed", 0), unpacked, pieces: () => bytesOfRow(row) };
  return takeWhole(row, report, "the trace");
}

// What a report says of the trace that its own is compared with; null: it has one trace.
function oldIn(report: Fields | null): Fields | null {
  return report?.["old"] === undefined ? null : fieldsOf(report["old"], "old");
}

// A trace beside the page's own, in the row of that id.
function besideWish(id: string, about: Fields, what: string): Wish {
  return {
    name: visibleText(textOr(about, "name", what)),
    take: () => takeWhole(document.getElementById(id), about, what),
  };
}

// More runs of a side.
function moreWishes(report: Fields | null, isOld: boolean): Wish[] {
  return listOf(report?.["more"] ?? [], "more", (one) => fieldsOf(one, "more")).flatMap(
    (about, ix) =>
      (about["is_old"] === true) === isOld
        ? [besideWish(`${MORE}-${ix + 1}`, about, `the ${isOld ? "old" : "new"} trace`)]
        : [],
  );
}

// What the page shows first: the traces that it has in it, or those that its address names.
function firstSides(isReport: boolean, report: Fields | null): Sides<Wish> | null {
  const [first, ...rest] = isReport ? [] : addressed("url");
  if (!isReport)
    return first === undefined ? null : { old: addressed("against"), new: [first, ...rest] };
  const own: Wish = {
    name: visibleText(textOr(report ?? {}, "name", "this page")),
    take: () => takeTrace(report),
  };
  const old = oldIn(report);
  if (old === null) return { old: [], new: [own] };
  return {
    old: [besideWish(OLD, old, "the old trace"), ...moreWishes(report, true)],
    new: [own, ...moreWishes(report, false)],
  };
}

// Null: what stands there is damaged.
function reportIn(): Fields | null {
  try {
    return fieldsIn(REPORT);
  } catch {
    return null;
  }
}

function sharedIn(report: Fields): Shared | null {
  const part = textOr(report, "part", "");
  const said = textOr(report, "note", "");
  const lines =
    part === "" ? said : `A part of the trace: ${part}${said === "" ? "" : `\n${said}`}`;
  const note = lines.split(/\r?\n/).map(visibleText).join("\n");
  const title = visibleText(textOr(report, "title", ""));
  return title === "" && note === "" ? null : { title, note };
}

// Puts the shared view into the address, unless the reader has chosen another one since.
function takeLink(report: Fields): void {
  const link = textOr(report, "link", "");
  if (link !== "" && location.hash === "")
    history.replaceState(null, "", `${location.pathname}${location.search}#${link}`);
}

// Keeps the page for when there is no network. Browsers have this only where nobody can change the page on its way.
function keepOffline(): void {
  try {
    navigator.serviceWorker?.register("sw.js").catch(() => undefined);
  } catch {
    // A frame in a sandbox of another page has no storage of its own.
  }
}

// After a reload, the traces that this tab showed. Those that the browser has forgotten are left out.
async function showAgain(content: EngineContent): Promise<void> {
  const [news, olds] = await Promise.all(
    [shownBefore(), oldBefore()].map((ids) => Promise.all(ids.map(keptTrace))),
  );
  const wishes = (kept: readonly (KeptTrace | null)[] = []): Wish[] =>
    kept.flatMap((one) => (one === null ? [] : [keptWish(one.id, one.name)]));
  const [first, ...rest] = wishes(news);
  const isShownKept = news?.[0] != null && first !== undefined;
  if (!isShownKept || content.traceNumber !== 0 || content.isLoading) return;
  content.open({ old: wishes(olds), new: [first, ...rest] });
}

export function createAloneSource(): Source {
  const page = fieldsIn(PAGE);
  const report = reportIn();
  const module = compileEngine(page);
  const script = URL.createObjectURL(new Blob([block(WORKER) ?? ""], { type: "text/javascript" }));
  const decoder = decoderIn(page);
  const makeWorker = (): EngineWorker => createEngineWorker(new Worker(script), module, decoder);
  const exportsAddress = textOr(page, "exports", "");
  const exportsModule = createExportsModule(exportsAddress);
  const makeExporter = (): EngineWorker =>
    createEngineWorker(new Worker(script), exportsModule(), decoder);
  // Of the pages that stand alone, reports are packed.
  const isReport = block(PACKED) !== null;
  const hosts = listOf(page["hosts"] ?? [], "hosts", String);
  const { source, content } = createEngineSource(
    makeWorker,
    exportsAddress === "" ? null : makeExporter,
    {
      open: !isReport,
      holdsTwo: !isReport || oldIn(report) !== null,
      watch: false,
      command: false,
      shared: isReport ? sharedIn(report ?? {}) : null,
      reach: [...(isReport ? [] : [location.origin]), ...hosts],
    },
    exampleIn(page),
    () => takePieces(page),
  );
  if (!isReport) {
    takeOffers(content);
    keepOffline();
  }
  const sides = firstSides(isReport, report);
  if (sides !== null) {
    takeLink(report ?? {});
    content.open(sides);
  } else void showAgain(content);
  return source;
}
