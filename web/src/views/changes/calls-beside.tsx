// The two calls that are compared: which they are, how long they took, and ways to them.

import { formatCount, formatDuration, formatMs } from "../../base/format";
import type { Changes } from "../../model/changes/changes";
import { callsSummaryText } from "../../model/changes/summary";
import { fullName } from "../../model/names";
import type { CallDetail } from "../../model/trace";
import { useApp } from "../shared/context";
import { threadNamer } from "../shared/thread-namer";
import { TimeChoice } from "./time-choice";
import { TotalChange } from "./total-change";

export function CallsBeside({ changes }: { changes: Changes }) {
  const { store, panels } = useApp();
  const pair = panels.changes.calls.value.value;
  if (pair === null) return null;
  return (
    <div class="changes-head">
      <dl>
        <Call word="This" call={pair.new} time={changes.new.total} calls={changes.new.calls} />
        <Call word="Other" call={pair.old} time={changes.old.total} calls={changes.old.calls} />
      </dl>
      <p>
        <TotalChange changes={changes} /> {callsSummaryText(changes)}
      </p>
      <div class="changes-tools">
        <TimeChoice />
        <button
          class="link"
          onClick={() => {
            const { old, new: now } = store.beside.peek() ?? { old: "", new: "" };
            store.beside.value = { old: now, new: old };
          }}
        >
          Swap the calls
        </button>
        <button
          class="link"
          onClick={() => {
            store.beside.value = null;
            if (store.against.peek() === null) store.tab.value = "calls";
          }}
        >
          Done
        </button>
      </div>
    </div>
  );
}

function Call({
  word,
  call,
  time,
  calls,
}: {
  word: string;
  call: CallDetail;
  time: number;
  calls: number;
}) {
  const { store, select } = useApp();
  const info = store.info.value;
  if (info === null) return null;
  return (
    <div>
      <dt>{word}</dt>
      <dd>
        <button
          class="link"
          title="Show it in the timeline"
          onClick={() => select.call(call, "reveal")}
        >
          {fullName(call.method)}, call {formatCount(call.ordinal + 1)} of {formatCount(call.of)}
        </button>
        <span class="muted">
          at {formatMs(call.start)} ms on {threadNamer(info)(call.thread)}: {formatDuration(time)},{" "}
          {formatCount(calls)} calls with its own
        </span>
      </dd>
    </div>
  );
}
