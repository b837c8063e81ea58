// The list of files that are sent: how far each is, how fast, how long it takes, and what became of it.

import { useEffect, useState } from "preact/hooks";
import { formatBytes } from "../base/format";
import { leftText, rateOf } from "../model/site/rate";
import type { Item, ItemState, Queue } from "./queue";
import { Uploaded } from "./uploaded";

export function Sending({ base, queue }: { base: string; queue: Queue }) {
  const items = queue.items.value;
  return (
    <>
      {items.length === 0 ? null : <h2>Uploads</h2>}
      <ul class="sending">
        {items.map((item, ix) => (
          <Row key={ix} base={base} item={item} />
        ))}
      </ul>
      <p class="unseen" role="status">
        {queue.said.value}
      </p>
    </>
  );
}

function doneOf(state: SendingState, size: number): number {
  if (state.kind === "sending" || state.kind === "lost") return state.done;
  return state.kind === "finishing" ? size : 0;
}

function Row({ base, item }: { base: string; item: Item }) {
  const state = item.state.value;
  return state.kind === "done" ? (
    <Uploaded base={base} {...state.trace} />
  ) : (
    <SendingRow item={item} state={state} />
  );
}

// What an item is before it is uploaded.
type SendingState = Exclude<ItemState, { readonly kind: "done" }>;

function SendingRow({ item, state }: { item: Item; state: SendingState }) {
  const { name, size } = item.file;
  const isOn = state.kind === "sending" || state.kind === "lost" || state.kind === "finishing";
  return (
    <li data-state={state.kind}>
      <b>{name}</b>
      <span>
        {state.kind === "lost" ? (
          <button type="button" class="small-button" onClick={() => item.wake()}>
            Try now
          </button>
        ) : null}
        {state.kind === "failed" && state.canRetry ? (
          <button
            type="button"
            class="small-button"
            aria-label={`Try again: ${name}`}
            onClick={() => item.retry()}
          >
            Try again
          </button>
        ) : null}
        {isOn || state.kind === "waiting" ? (
          <button
            type="button"
            class="small-button"
            aria-label={`Cancel ${name}`}
            onClick={() => item.cancel()}
          >
            Cancel
          </button>
        ) : null}
      </span>
      {isOn ? (
        <progress
          aria-label={`Sending ${name}`}
          max={Math.max(1, size)}
          value={doneOf(state, size)}
        />
      ) : null}
      <HowFar item={item} state={state} />
    </li>
  );
}

function HowFar({ item, state }: { item: Item; state: SendingState }) {
  const size = formatBytes(item.file.size);
  switch (state.kind) {
    case "waiting":
      return <span class="how-far">{size}, waits for the one before it</span>;
    case "sending": {
      const rate = rateOf(state.track);
      const far = `${formatBytes(state.done)} of ${size}`;
      if (rate === null) return <span class="how-far">{far}</span>;
      const left = leftText(item.file.size - state.done, rate);
      return (
        <span class="how-far">
          {far} · {formatBytes(rate)}/s{left === "" ? "" : ` · ${left}`}
        </span>
      );
    }
    case "lost":
      return <Lost done={state.done} size={size} why={state.why} retryAtMs={state.retryAtMs} />;
    case "finishing":
      return <span class="how-far">{size} sent; the site puts it together</span>;
    case "failed":
      return <span class="how-far bad-text">{state.why}</span>;
    case "cancelled":
      return <span class="how-far">Cancelled; nothing of it is kept.</span>;
  }
}

interface LostProps {
  readonly done: number;
  readonly size: string;
  readonly why: string;
  readonly retryAtMs: number;
}

function Lost({ done, size, why, retryAtMs }: LostProps) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((retryAtMs - now) / 1000));
  return (
    <span class="how-far">
      {formatBytes(done)} of {size} arrived; {why}. Goes on{" "}
      {seconds === 0 ? "now" : `in ${seconds} s`}.
    </span>
  );
}
