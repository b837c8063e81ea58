// The event stream of a trace that waits or is read.

import { fieldsOf, numberOr } from "./check";

interface TraceNews {
  // As the trace's JSON has it.
  readonly state: string;
  // Between 0 and 1; null: not known.
  readonly done: number | null;
  // The place in the queue, from 1; 0: not known.
  readonly place: number;
}

function newsIn(state: string, event: Event): TraceNews {
  let place = 0;
  let done = -1;
  try {
    const data: unknown = JSON.parse(String((event as MessageEvent<unknown>).data));
    const fields = fieldsOf(data, "event");
    done = numberOr(fields, "done", -1);
    place = numberOr(fields, "place", 0);
  } catch {
    // The event's name says the rest.
  }
  return { state, done: done < 0 ? null : done, place };
}

const STATES = { queued: "queued", progress: "processing", ready: "ready", failed: "failed" };

// `tell` takes what the stream says; `lost` is called when the browser gives the stream up. A page that is not looked at
// has none: a browser has six connections at most to one server, for all its tabs together, so six tabs that wait would
// leave none for others. The next stream begins with how things are then.
export function followTrace(tell: (news: TraceNews) => void, lost: () => void): void {
  let source: EventSource | null = null;
  const follow = (): void => {
    source?.close();
    source = null;
    if (document.hidden) return;
    const mine = new EventSource("api/events");
    for (const [name, state] of Object.entries(STATES))
      mine.addEventListener(name, (event) => tell(newsIn(state, event)));
    mine.addEventListener("error", () => {
      if (mine.readyState === EventSource.CLOSED) lost();
    });
    source = mine;
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}
