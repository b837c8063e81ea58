// The numbers of one call, for the card under the pointer.

import { formatCount, formatDuration, formatShare, formatTimes } from "../../base/format";
import { shownTime, timeOn, type CallDetail } from "../../model/trace";
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

export function CallLines({ call }: { call: CallDetail }) {
  const { store } = useApp();
  const total = store.info.value?.total ?? {};
  const wait = timeOn(call.times, "wait");
  const share = (measure: "wall" | "cpu"): string =>
    `${formatShare(call.times[measure] ?? 0, total[measure] ?? 0)} of all`;
  const median = formatTimes(call.end - call.start, call.median);
  return (
    <>
      {call.times.wall === undefined ? null : (
        <Line name="wall" text={formatDuration(call.times.wall)} note={share("wall")} />
      )}
      {call.times.cpu === undefined ? null : (
        <Line name="CPU" text={formatDuration(call.times.cpu)} note={share("cpu")} />
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
        note={median === "" ? "" : `${median} the median`}
      />
    </>
  );
}
