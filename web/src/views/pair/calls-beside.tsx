// The two calls that are compared: which they are, how long they took, what is to be known of them, and what can be done.

import { batch } from "@preact/signals";
import { formatDuration, formatMs, plural } from "../../base/format";
import type { Changes, ChangesSide, Sentence } from "../../model/changes/changes";
import { callsSummaryText } from "../../model/changes/summary";
import { fullName } from "../../model/names";
import { callNumber, pairNotes, pairText } from "../../model/pair/pair-text";
import type { CallDetail } from "../../model/trace";
import { callWords } from "../../model/words";
import { endComparing, swapCalls } from "../../state/actions/compare-calls";
import { useApp } from "../shared/context";
import { copyText } from "../shared/share";
import { threadNamer } from "../shared/thread-namer";
import { TotalChange } from "./total-change";

interface Props {
  // Null until it is there.
  readonly changes: Changes | null;
  readonly sentences: readonly Sentence[];
}

export function CallsBeside({ changes, sentences }: Props) {
  const app = useApp();
  const { store, panels } = app;
  const pair = panels.changes.calls.value.value;
  const info = store.info.value;
  if (pair === null || info === null) return null;
  const notes = pairNotes(pair, info.sampled);
  const isNarrowed =
    store.lens.value !== null || store.range.value !== null || store.hide.value !== "";
  const copy = (): void => {
    if (changes === null) return;
    copyText(
      app,
      pairText({
        pair,
        changes,
        sentences,
        notes,
        waits: panels.pair.told.peek(),
        rows: panels.pair.tree.rows.peek(),
        measure: store.measure.peek(),
        isSampled: info.sampled,
        nameOf: threadNamer(info),
      }),
      "Both calls",
    );
  };
  return (
    <div class="changes-head">
      <dl>
        <Call word="This" call={pair.new} told={changes?.new} />
        <Call word="Other" call={pair.old} told={changes?.old} />
      </dl>
      <p>
        {changes === null ? (
          <span class="muted">Comparing…</span>
        ) : (
          <>
            <TotalChange changes={changes} /> {callsSummaryText(changes)}
          </>
        )}{" "}
        {notes.join(" ")}
        {isNarrowed ? (
          <span class="muted">
            {" "}
            All of both calls is told, whatever range, lens or hidden packages leave out elsewhere.
          </span>
        ) : null}
      </p>
      <div class="changes-tools">
        <button class="link" onClick={() => swapCalls(store)}>
          Swap the calls
        </button>
        <button
          class="link"
          title="What differs, as a flame graph"
          onClick={() =>
            batch(() => {
              store.changePath.value = [];
              store.flameChoice.value = { view: "new", isByShare: false };
              store.tab.value = "flame";
            })
          }
        >
          Flame graph
        </button>
        <button
          class="link"
          title="Both calls and what differs, as text"
          disabled={changes === null}
          onClick={copy}
        >
          Copy
        </button>
        <button class="link" onClick={() => endComparing(store)}>
          Done
        </button>
      </div>
    </div>
  );
}

function Call({
  word,
  call,
  told,
}: {
  word: string;
  call: CallDetail;
  told: Pick<ChangesSide, "total" | "calls"> | undefined;
}) {
  const { store, select } = useApp();
  const info = store.info.value;
  if (info === null) return null;
  const words = callWords(info.sampled);
  return (
    <div>
      <dt>{word}</dt>
      <dd>
        <button
          class="link"
          title="Show it in the timeline"
          onClick={() => select.call(call, "reveal")}
        >
          <span class="few-lines">{fullName(call.method)},</span> {callNumber(call, info.sampled)}
        </button>
        <span class="muted">
          at {formatMs(call.start)} ms on{" "}
          <span class="few-lines">{threadNamer(info)(call.thread)}</span>
          {told === undefined
            ? ""
            : `: ${formatDuration(told.total)}, ${plural(told.calls, words.one, words.many)} with its own`}
        </span>
      </dd>
    </div>
  );
}
