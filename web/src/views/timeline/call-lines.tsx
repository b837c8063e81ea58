// The numbers of one call, for the card under the pointer.

import { formatCount, formatDuration } from "../../base/format";
import { medianNote, shareNote, type Comparison } from "../../model/timeline/compare";
import { hasMeasure, shownTime, timeOn, type CallDetail, type Measure } from "../../model/trace";
import { useApp } from "../shared/context";

export function Line({ name, text, note }: { name: string; text: string; note?: string }) {
  return (
    <tr>
      <td>{name}</td>
      <td>{text}</td>
      <td class="muted">{note ?? ""}</td>
    </tr>
  );
}

// `comparison` is null until it is known.
export function CallLines({
  call,
  comparison,
}: {
  call: CallDetail;
  comparison: Comparison | null;
}) {
  const { store } = useApp();
  const info = store.info.value;
  const shown = (measure: Measure): number | undefined =>
    info !== null && hasMeasure(info, measure) ? timeOn(call.times, measure) : undefined;
  const [wall, cpu, wait] = [shown("wall"), shown("cpu"), shown("wait")];
  const share = (measure: "wall" | "cpu"): string =>
    info === null || comparison === null ? "" : shareNote(call, measure, info.axis, comparison);
  return (
    <>
      {wall === undefined ? null : (
        <Line name="wall" text={formatDuration(wall)} note={share("wall")} />
      )}
      {cpu === undefined ? null : (
        <Line name="CPU" text={formatDuration(cpu)} note={share("cpu")} />
      )}
      {wait === undefined ? null : (
        <Line
          name="wait"
          text={formatDuration(shownTime(wait, "wait"))}
          note={call.isWaiting ? "waiting itself" : ""}
        />
      )}
      <Line name="self" text={formatDuration(call.exclusive.wall ?? call.exclusive.cpu ?? 0)} />
      <Line
        name="call"
        text={`${formatCount(call.ordinal + 1)} of ${formatCount(call.of)}`}
        note={comparison === null ? "" : medianNote(call, comparison)}
      />
    </>
  );
}
