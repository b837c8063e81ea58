// The card of the box under the pointer. The box is known at once; the numbers of its call are
// asked for when the pointer rests.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { callWords } from "../../../model/words";
import type { CallReference } from "../../../model/timeline/call-reference";
import { boxLines, callLines, oddText, thinText } from "../../../model/timeline/card-text";
import { fullName, readableSignature, sourceOf } from "../../../model/names";
import { threadLabel, type CallDetail, type Thread } from "../../../model/trace";
import { Breakable } from "../../shared/breakable";
import { CardLines } from "../../shared/card-lines";
import { useApp } from "../../shared/context";
import { HoverBox } from "../../shared/hover-box";
import { LaneCard } from "./lane-card";
import { MarkCard } from "./mark-card";
import { callUnder, createCallReference } from "../../../state/panels/call-reference";
import { askCall } from "../../../state/levels";
import type { Hover, TimelineState } from "../../../state/timeline";

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
  const reference = useMemo(
    () =>
      createCallReference(store, () =>
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
  const compared = reference.value.value;
  const isOfCall = compared?.rank === call?.rank && compared?.thread === call?.thread;
  return (
    <Card
      hover={hover}
      thread={hover.row.thread}
      call={call}
      reference={isOfCall ? compared : null}
    />
  );
}

function Card({
  hover,
  thread,
  call,
  reference,
}: {
  hover: Hover;
  thread: Thread;
  call: CallDetail | null;
  reference: CallReference | null;
}) {
  const { store } = useApp();
  void store.names.version.value;
  const box = hover.box;
  const info = store.info.value;
  if (box === null || info === null) return null;
  const words = callWords(info.sampled);
  const thin = thinText(box.count, words);
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
      {thin === "" ? null : <div class="muted">{thin}</div>}
      <CardLines
        lines={call === null ? boxLines(box.duration, info.axis) : callLines(call, info, reference)}
      />
      <div class="muted">
        <bdi>{threadLabel(thread)}</bdi>
        {source === "" ? "" : " · "}
        <bdi>
          <Breakable text={source} />
        </bdi>
        {oddText(box.flags, words)}
      </div>
    </HoverBox>
  );
}
