// The event stream from the program: its progress, and traces that come and go. The open stream
// also keeps the program alive, which ends when no page is left.

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
  // Whether the stream stands; the browser opens it again by itself after it broke.
  connected(isConnected: boolean): void;
}

function fieldsIn(event: Event): Fields {
  try {
    return fieldsOf(JSON.parse(String((event as MessageEvent<unknown>).data)), "event");
  } catch {
    return {};
  }
}

// Opens the stream; the function that comes back closes it.
export function listen(handlers: EventHandlers): () => void {
  const source = new EventSource("api/events");
  source.addEventListener("open", () => handlers.connected(true));
  source.addEventListener("error", () => handlers.connected(false));
  source.addEventListener("ready", (event) =>
    handlers.ready(numberOr(fieldsIn(event), "trace", 0)),
  );
  source.addEventListener("reload", () => handlers.anew());
  source.addEventListener("failed", (event) => {
    const fields = fieldsIn(event);
    handlers.failed(
      nameOr(fields, "file", "the file"),
      nameOr(fields, "error", "is not readable"),
      flagOr(fields, "mapping", false),
    );
  });
  source.addEventListener("progress", (event) => {
    const fields = fieldsIn(event);
    handlers.progress({
      done: numberOr(fields, "done", 0),
      of: numberOr(fields, "of", 0),
      step: textOr(fields, "step", "reading"),
      file: nameOr(fields, "file", ""),
    });
  });
  return () => source.close();
}
