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

// `tell` takes what the stream says; `lost` is called when the browser gives the stream up.
export function followTrace(tell: (news: TraceNews) => void, lost: () => void): void {
  const source = new EventSource("api/events");
  const states = { queued: "queued", progress: "processing", ready: "ready", failed: "failed" };
  for (const [name, state] of Object.entries(states))
    source.addEventListener(name, (event) => tell(newsIn(state, event)));
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) lost();
  });
}
