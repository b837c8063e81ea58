// Runs first in a page that is packed: puts the style, the worker's script, the template of such pages and the page's script
// where they would have stood. The policy names their digests, so that a browser takes them from here, and from nobody else
// (tools/bundle.mjs). It stands in front of all that is long: the page's script begins when the text that stands for the
// trace does, and reads that text while it comes. Of a page that ends before it says so itself.

import { bytesOfBase93 } from "./base/base93";

const NO_START =
  "The viewer in this file does not start. The file is damaged or cut short: get it again, packed as .zip if it came by mail. " +
  "Or this browser is too old: it must be of 2023 or later. What follows needs no script.";

async function unpack(): Promise<void> {
  const packed = document.getElementById("tv-packed")?.textContent ?? "";
  const unpacking = new DecompressionStream("gzip");
  const stream = new Blob([bytesOfBase93(packed)]).stream().pipeThrough(unpacking);
  const { style, worker, template, script } = await new Response(stream).json();
  // Into the head: what the document still brings comes into the body, and at its end.
  const put = (name: string, attributes: object): void =>
    document.head.append(Object.assign(document.createElement(name), attributes));
  put("style", { textContent: style });
  put("script", { type: "text/plain", id: "tv-worker", textContent: worker });
  put("script", { type: "text/plain", id: "tv-template", textContent: template });
  put("script", { textContent: script });
}

function tellNoStart(): void {
  const line = document.createElement("p");
  line.setAttribute("role", "alert");
  line.textContent = NO_START;
  (document.getElementById("app") ?? document.body).prepend(line);
}

const has = (id: string): boolean => document.getElementById(id) !== null;

const watch = new MutationObserver(() => begin());

// Everything before the trace is there when the trace's block is, and in any page when its end is.
function begin(): void {
  const isThere = has("tv-trace") || has("tv-end");
  if (!isThere && document.readyState === "loading") return;
  watch.disconnect();
  self.removeEventListener("DOMContentLoaded", begin);
  if (isThere) unpack().catch(tellNoStart);
  else tellNoStart();
}

watch.observe(document.body, { childList: true });
self.addEventListener("DOMContentLoaded", begin);
