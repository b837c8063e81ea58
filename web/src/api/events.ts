// The events from the program: its progress, and traces that come and go. The connection on which they come
// also keeps the program alive, which ends when no page is left.
//
// It is a WebSocket: a browser has six other connections at most to a program, for all its tabs together, so six tabs
// with an event stream each would leave none for questions. Where there is no WebSocket (a proxy in between, a site), it
// is an event stream, which says the same.

import type { Offer } from "../model/page/offer";
import { fieldsOf, flagOr, nameOr, numberOr, textOr, type Fields } from "./check";

export interface Progress {
  readonly done: number;
  readonly of: number;
  readonly step: string;
  readonly file: string;
}

export interface EventHandlers {
  progress(progress: Progress): void;
  // The N-th trace is shown, or loading is over.
  ready(traceNumber: number): void;
  // `isMapping`: the mapping is of another build than the trace, and could be forced.
  failed(file: string, reason: string, isMapping: boolean): void;
  // The file was recorded anew.
  anew(): void;
  // Another window hands over a trace.
  offered(offer: Offer): void;
  // Whether the connection stands; it is opened again after it broke.
  connected(isConnected: boolean): void;
}

const STREAM = "api/events";
// As browsers wait before they open an event stream again.
const AGAIN_MS = 3000;
const NAMES = ["ready", "reload", "failed", "progress"];

function fieldsIn(data: unknown): Fields {
  try {
    return fieldsOf(JSON.parse(String(data)), "event");
  } catch {
    return {};
  }
}

function tell(handlers: EventHandlers, name: string, data: unknown): void {
  const fields = fieldsIn(data);
  if (name === "ready") handlers.ready(numberOr(fields, "trace", 0));
  else if (name === "reload") handlers.anew();
  else if (name === "failed")
    handlers.failed(
      nameOr(fields, "file", "the file"),
      nameOr(fields, "error", "is not readable"),
      flagOr(fields, "mapping", false),
    );
  else if (name === "progress")
    handlers.progress({
      done: numberOr(fields, "done", 0),
      of: numberOr(fields, "of", 0),
      step: textOr(fields, "step", "reading"),
      file: nameOr(fields, "file", ""),
    });
}

// Opens an event stream; the function that comes back closes it.
function listenByStream(handlers: EventHandlers): () => void {
  const source = new EventSource(STREAM);
  source.addEventListener("open", () => handlers.connected(true));
  source.addEventListener("error", () => handlers.connected(false));
  for (const name of NAMES)
    source.addEventListener(name, (event) =>
      tell(handlers, name, (event as MessageEvent<unknown>).data),
    );
  return () => source.close();
}

// Whether the page is at an address of a program, which begins with its token: a site's page follows nobody for long, and
// proxies in front of sites do not let WebSockets through.
function isProgram(): boolean {
  return typeof WebSocket === "function" && /^\/[0-9a-f]{32}\//.test(location.pathname);
}

function openSocket(): WebSocket | null {
  try {
    return new WebSocket(new URL(STREAM, location.href).href.replace(/^http/, "ws"));
  } catch {
    return null;
  }
}

// Begins to listen; the function that comes back ends it.
export function listen(handlers: EventHandlers): () => void {
  let socket: WebSocket | null = null;
  let timer = 0;
  let wasOpen = false;
  let isEnded = false;
  let endStream = (): void => undefined;

  const open = (): void => {
    const mine = isProgram() ? openSocket() : null;
    if (mine === null) {
      endStream = listenByStream(handlers);
      return;
    }
    socket = mine;
    mine.addEventListener("open", () => {
      wasOpen = true;
      handlers.connected(true);
    });
    mine.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      const [, name = "", values = ""] = /^event: (\w+)\ndata: (.*)/.exec(String(data)) ?? [];
      tell(handlers, name, values);
    });
    mine.addEventListener("close", () => {
      if (isEnded) return;
      if (!wasOpen) {
        endStream = listenByStream(handlers);
        return;
      }
      handlers.connected(false);
      timer = self.setTimeout(open, AGAIN_MS);
    });
  };

  open();
  return () => {
    isEnded = true;
    self.clearTimeout(timer);
    socket?.close();
    endStream();
  };
}
