// The two calls that are compared: which they are, how long they took, and ways to them.

import { formatCount, formatDuration, formatMs } from "../../base/format";
import { basedText, callsSummaryText, signedTime, type Changes } from "../../model/changes/changes";
import type { CallDetail } from "../../model/trace";
import { useApp } from "../shared/context";
import { threadNamer } from "../shared/thread-namer";
import { tone } from "./change-colour";
import { TimeChoice } from "./time-choice";

export function CallsBeside({ changes }: { changes: Changes }) {
  const { store, panels } = useApp();
  const pair = panels.changes.calls.value.value;
  const change = changes.new.total - changes.old.total;
  if (pair === null) return null;
  return (
    <div class="changes-head">
      <dl>
        <Call word="This" call={pair.new} time={changes.new.total} calls={changes.new.calls} />
        <Call word="Other" call={pair.old} time={changes.old.total} calls={changes.old.calls} />
      </dl>
      <p>
        <b class={tone(change)}>
          {signedTime(change)}
          {changes.old.total > 0 ? ` (${basedText(changes.new.total, changes.old.total)})` : ""}
        </b>{" "}
        of {changes.clock === "cpu" ? "CPU" : "wall"} time. {callsSummaryText(changes)}
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
  const { method } = call;
  const name = [method.class, method.name].filter((part) => part !== "").join(".");
  return (
    <div>
      <dt>{word}</dt>
      <dd>
        <button
          class="link"
          title="Show it in the timeline"
          onClick={() => select.call(call, "reveal")}
        >
          {name === "" ? method.method : name}, call {formatCount(call.ordinal + 1)} of{" "}
          {formatCount(call.of)}
        </button>
        <span class="muted">
          at {formatMs(call.start)} ms on {threadNamer(info)(call.thread)}: {formatDuration(time)},{" "}
          {formatCount(calls)} calls with its own
        </span>
      </dd>
    </div>
  );
}
