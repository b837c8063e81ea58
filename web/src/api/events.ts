// The event stream: it keeps the program alive while the page is open, and carries its progress.

import { fieldsOf, numberOr, textOr } from "./check";

export interface Progress {
  readonly done: number;
  readonly of: number;
  readonly step: string;
}

export interface EventHandlers {
  progress(progress: Progress): void;
  ready(): void;
  reload(): void;
  // The stream broke (the browser tries again by itself), or came back.
  connected(isConnected: boolean): void;
}

function progressOf(text: string): Progress | null {
  try {
    const fields = fieldsOf(JSON.parse(text), "progress");
    return {
      done: numberOr(fields, "done", 0),
      of: numberOr(fields, "of", 0),
      step: textOr(fields, "step", "reading"),
    };
  } catch {
    return null;
  }
}

// Opens the stream; the answer closes it.
export function listen(handlers: EventHandlers): () => void {
  const source = new EventSource("api/events");
  source.addEventListener("open", () => handlers.connected(true));
  source.addEventListener("error", () => handlers.connected(false));
  source.addEventListener("ready", () => handlers.ready());
  source.addEventListener("reload", () => handlers.reload());
  source.addEventListener("progress", (event) => {
    const progress = progressOf(String((event as MessageEvent<unknown>).data));
    if (progress !== null) handlers.progress(progress);
  });
  return () => source.close();
}
