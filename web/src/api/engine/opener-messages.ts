// Takes a trace from the window that opened this page, or that has it inside: the same steps as Perfetto's deep links
// (docs/static-site.md). The other window says "PING" until it hears "PONG", then sends the trace; the user decides.

import { visibleText } from "../../base/text";
import { fieldsOf, textOr } from "../check";
import type { EngineContent } from "./engine-content";

const LONGEST_NAME = 255;

// null: the message is about something else.
function traceIn(data: unknown): { name: string; file: Blob } | null {
  if (typeof data !== "object" || data === null) return null;
  const all = fieldsOf(data, "message");
  const own = all["traceview"] ?? all["perfetto"];
  if (typeof own !== "object" || own === null) return null;
  const fields = fieldsOf(own, "trace");
  const bytes = fields["buffer"];
  if (!(bytes instanceof ArrayBuffer) && !(bytes instanceof Blob)) return null;
  const name = textOr(fields, "fileName", textOr(fields, "title", "")).slice(0, LONGEST_NAME);
  return { name: visibleText(name === "" ? "trace" : name), file: new Blob([bytes]) };
}

export function takeOffers(content: EngineContent): void {
  self.addEventListener("message", ({ data, origin, source }: MessageEvent<unknown>) => {
    const isOurs = source !== null && (source === self.opener || source === self.parent);
    if (!isOurs || source === self) return;
    if (data === "PING") {
      // A page without an origin, as from a file, is told apart from none by no address.
      (source as Window).postMessage("PONG", origin === "null" ? "*" : origin);
      return;
    }
    const found = traceIn(data);
    if (found === null) return;
    const { name, file } = found;
    content.offer({
      origin: origin === "null" ? "a page without an address" : origin,
      name,
      bytes: file.size,
      accept: () =>
        content.open({ old: [], new: [{ name, isKept: true, take: () => Promise.resolve(file) }] }),
    });
  });
}
