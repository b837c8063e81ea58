// Runs first in a page that is packed: puts the style, the worker's script, the template of such pages and the page's script
// where they would have stood. The policy names their digests, so that a browser takes them from here, and from nobody else
// (tools/bundle.mjs). It stands in front of all that is long, and looks for the end of the page, so that it can say when
// that is not there.

import { bytesOfBase93 } from "./base/base93";

const NO_START =
  "The viewer in this file does not start. The file is damaged or cut short: get it again, packed as .zip if it came by mail. " +
  "Or this browser is too old: it must be of 2023 or later. What follows needs no script.";

async function unpack(): Promise<void> {
  if (document.getElementById("tv-end") === null) throw new Error("the page is cut short");
  const packed = document.getElementById("tv-packed")?.textContent ?? "";
  const unpacking = new DecompressionStream("gzip");
  const stream = new Blob([bytesOfBase93(packed)]).stream().pipeThrough(unpacking);
  const { style, worker, template, script } = await new Response(stream).json();
  const put = (parent: HTMLElement, name: string, attributes: object): void =>
    parent.append(Object.assign(document.createElement(name), attributes));
  put(document.head, "style", { textContent: style });
  put(document.body, "script", { type: "text/plain", id: "tv-worker", textContent: worker });
  put(document.body, "script", { type: "text/plain", id: "tv-template", textContent: template });
  put(document.body, "script", { textContent: script });
}

function tellNoStart(): void {
  const line = document.createElement("p");
  line.setAttribute("role", "alert");
  line.textContent = NO_START;
  (document.getElementById("app") ?? document.body).prepend(line);
}

self.addEventListener("DOMContentLoaded", () => {
  unpack().catch(tellNoStart);
});
