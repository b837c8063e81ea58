// The columns of the Frames tab: frames with their parts, messages, or phases of the start-up.

import { shortName } from "../names";
import { textColumn, timeColumn } from "../table/column-kinds";
import type { TableColumn } from "../table/table";
import type { Clock } from "../trace";
import { cutText, isOver, NO_BUDGET, type LaneItem, type LaneKind } from "../timeline/lanes";

// What it is called in the list, and whether the recording cut it.
export function laneItemName(item: LaneItem): string {
  return `${ownName(item)}${cutText(item)}`;
}

function ownName(item: LaneItem): string {
  if (item.kind === "frames") return `Frame ${item.number}`;
  if (item.kind === "phases") return item.name;
  return item.method === null ? "Message" : shortName(item.method);
}

const HEADINGS: Readonly<Record<LaneKind, string>> = {
  phases: "Phase",
  messages: "Message",
  frames: "Frame",
};

export function laneColumns(
  kind: LaneKind,
  budget: number,
  clocks: { readonly axis: Clock; readonly hasBoth: boolean },
): TableColumn<LaneItem>[] {
  const time = (
    id: string,
    label: string,
    title: string,
    get: (item: LaneItem) => number | undefined,
  ): TableColumn<LaneItem> => timeColumn({ id, label, title, width: 104, get });
  const wall = (item: LaneItem): number => item.end - item.start;
  return [
    textColumn({
      id: "name",
      label: HEADINGS[kind],
      title: kind === "messages" ? "What the message did" : "In the order of time",
      get: laneItemName,
    }),
    time("start", "Start, ms", "Since the start of the trace", (item) => item.start),
    time("wall", clocks.axis === "cpu" ? "CPU, ms" : "Wall, ms", "From its start to its end", wall),
    ...(kind === "phases" || budget === NO_BUDGET
      ? []
      : [
          time("over", "Over, ms", "How much longer than the budget it took", (item) =>
            isOver(item, budget) ? wall(item) - budget : undefined,
          ),
        ]),
    ...(clocks.hasBoth
      ? [time("cpu", "CPU, ms", "What the thread's own clock says", (item) => item.cpu)]
      : []),
    ...(kind === "frames"
      ? [
          time("measure", "Measure, ms", "In performMeasure", (item) => item.measure),
          time("layout", "Layout, ms", "In performLayout", (item) => item.layout),
          time("draw", "Draw, ms", "In performDraw", (item) => item.draw),
          time("rest", "Other, ms", "Input, animations and all else", (item) => item.rest),
        ]
      : []),
  ];
}
