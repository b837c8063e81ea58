// The card of the phase, message or frame under the pointer.

import { formatDuration } from "../../base/format";
import { fullName } from "../../model/names";
import { budgetOf, isOver, type LaneItem } from "../../model/timeline/lanes";
import { useApp } from "../shared/context";
import { HoverBox } from "../shared/hover-box";
import { Line } from "./call-lines";
import type { Hover } from "../../state/timeline";

function titleOf(item: LaneItem, count: number): string {
  if (item.kind === "phases") return item.name;
  if (item.kind === "frames") return `Frame ${item.number} of ${count}`;
  return item.method === null ? "Message" : fullName(item.method);
}

export function LaneCard({ item, hover }: { item: LaneItem; hover: Hover }) {
  const { store } = useApp();
  const lane = store.lanes.value.value?.[item.kind];
  const budget = budgetOf(store.settings.value.frameHz);
  const time = item.end - item.start;
  const parts: readonly (readonly [string, number | undefined])[] = [
    ["CPU", item.cpu],
    ["measure", item.measure],
    ["layout", item.layout],
    ["draw", item.draw],
    ["other", item.rest === time ? undefined : item.rest],
  ];
  return (
    <HoverBox at={hover}>
      <b>{titleOf(item, lane?.count ?? 0)}</b>
      <table>
        <tbody>
          <Line name="wall" text={formatDuration(time)} />
          {parts.map(([name, value]) =>
            value === undefined ? null : (
              <Line key={name} name={name} text={formatDuration(value)} />
            ),
          )}
        </tbody>
      </table>
      {isOver(item, budget) ? (
        <div class="late">
          {formatDuration(time - budget)} over the budget of {formatDuration(budget)}
        </div>
      ) : null}
    </HoverBox>
  );
}
