// The card of the box under the pointer. The box is known at once; the numbers of its call are
// asked for when the pointer rests.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formatCount, formatDuration } from "../../base/format";
import { callWords } from "../../model/words";
import type { Comparison } from "../../model/timeline/compare";
import { BOX_ADOPTED, BOX_OMITS, BOX_OPEN_AT_END } from "../../model/timeline/boxes";
import { fullName, readableSignature, sourceOf } from "../../model/names";
import { threadLabel, type CallDetail, type Thread } from "../../model/trace";
import { Breakable } from "../shared/breakable";
import { CallLines, Line } from "./call-lines";
import { useApp } from "../shared/context";
import { HoverBox } from "../shared/hover-box";
import { LaneCard } from "./lane-card";
import { MarkCard } from "./mark-card";
import { callUnder, createComparison } from "../../state/comparison";
import { askCall } from "../../state/levels";
import type { Hover, TimelineState } from "../../state/timeline";

const REST_MS = 90;

export function HoverCard({ state }: { state: TimelineState }) {
  const { store, menu } = useApp();
  const detail = useSignal<CallDetail | null>(null);
  useSignalEffect(() => {
    const hover = state.hover.value;
    if (hover?.box == null || hover.row === null) return undefined;
    const { depth, call, rank } = hover.box;
    const thread = hover.row.thread.id;
    const old = detail.peek();
    if (
      old !== null &&
      old.thread === thread &&
      old.depth === depth &&
      old.call === call &&
      old.rank === rank
    )
      return undefined;
    const abort = new AbortController();
    const timer = self.setTimeout(() => {
      const measure = store.measure.peek();
      const clock = measure === "wait" ? undefined : measure;
      askCall(store, { thread, depth, call, clock }, abort.signal).then(
        (answer) => (detail.value = answer),
        () => undefined, // The card then shows what the box itself says; a click reports failures.
      );
    }, REST_MS);
    return () => {
      self.clearTimeout(timer);
      abort.abort();
    };
  });
  const comparison = useMemo(
    () =>
      createComparison(store, () =>
        state.isDragging.value ? null : callUnder(state.hover.value, detail.value),
      ),
    [],
  );
  const hover = state.hover.value;
  // A menu says what can be done with the box; the card would stand beneath it.
  if (hover === null || state.isDragging.value || menu.value !== null) return null;
  if (hover.mark != null) return <MarkCard mark={hover.mark} hover={hover} />;
  if (hover.item != null) return <LaneCard item={hover.item} hover={hover} />;
  if (hover.box == null || hover.row === null) return null;
  const call = callUnder(hover, detail.value);
  const compared = comparison.value.value;
  const isOfCall = compared?.rank === call?.rank && compared?.thread === call?.thread;
  return (
    <Card
      hover={hover}
      thread={hover.row.thread}
      call={call}
      comparison={isOfCall ? compared : null}
    />
  );
}

function Card({
  hover,
  thread,
  call,
  comparison,
}: {
  hover: Hover;
  thread: Thread;
  call: CallDetail | null;
  comparison: Comparison | null;
}) {
  const { store } = useApp();
  void store.names.version.value;
  const box = hover.box;
  if (box === null) return null;
  const method = call?.method ?? store.names.get(box.rank);
  const source = method === undefined ? "" : sourceOf(method);
  return (
    <HoverBox at={hover}>
      <b>
        <Breakable text={method === undefined ? "…" : fullName(method)} />
      </b>
      {method === undefined ? null : (
        <div class="muted sig">
          <Breakable text={readableSignature(method.signature)} />
        </div>
      )}
      {box.count > 1 ? (
        <div class="muted">
          {formatCount(box.count)} {callWords(store.info.value?.sampled === true).many} in less than
          a pixel; the longest:
        </div>
      ) : null}
      <table>
        <tbody>
          {call === null ? (
            <Line
              name={store.info.value?.axis === "cpu" ? "CPU" : "wall"}
              text={formatDuration(box.duration)}
            />
          ) : (
            <CallLines call={call} comparison={comparison} />
          )}
        </tbody>
      </table>
      <div class="muted">
        <bdi>{threadLabel(thread)}</bdi>
        {source === "" ? "" : " · "}
        <bdi>
          <Breakable text={source} />
        </bdi>
        {(box.flags & BOX_OPEN_AT_END) !== 0 ? " · still open at the end" : ""}
        {(box.flags & BOX_ADOPTED) !== 0 ? " · began before the trace" : ""}
        {(box.flags & BOX_OMITS) !== 0 ? " · calls of hidden packages are left out" : ""}
      </div>
    </HoverBox>
  );
}
