// The Frames tab: the frames, messages and start-up phases of the main thread in the range, the
// longest first. A press shows one in the timeline.

import { formatCount } from "../../base/format";
import { leftOutText, noItemsText, overText } from "../../model/frames/frames-text";
import { laneColumns, laneItemName } from "../../model/frames/lane-columns";
import {
  BUDGETS,
  firstKind,
  isOver,
  LANE_KINDS,
  LANE_NAMES,
  NO_BUDGET,
  type LaneItem,
  type LaneKind,
} from "../../model/timeline/lanes";
import { fader, sortRows } from "../../model/table/table";
import { callWords } from "../../model/words";
import { setSetting } from "../../state/actions/choose";
import { useApp } from "../shared/context";
import { Segments } from "../shared/segments";
import { DataTable } from "../table/data-table";
import { localSource } from "../table/data-source";

const FIRST_SORT = { column: "wall", order: "desc" } as const;

export function FramesTab() {
  const app = useApp();
  const { store, select } = app;
  const { value: lanes, error } = store.lanes.value;
  const kind = store.laneKind.value ?? firstKind(lanes);
  const info = store.info.value;
  const budget = store.budget.value;
  const columns = laneColumns(kind, budget, {
    axis: info?.axis ?? "wall",
    hasBoth: (info?.clocks.length ?? 0) > 1,
  });
  const range = store.range.value;
  const threads = store.threads.value;
  const items = (lanes?.[kind].items ?? []).filter(
    (item) =>
      (threads === null || threads.has(item.thread)) &&
      (range === null || (item.end > range.from && item.start < range.to)),
  );
  const sort = app.panels.tables.frames.sort.value ?? FIRST_SORT;
  const rows = sortRows(items, columns, sort);
  const isFaded = fader(rows, columns, store.search.value);
  const isSelected = ({ thread, depth, call }: LaneItem): boolean => {
    const now = store.call.value;
    return now !== null && now.thread === thread && now.depth === depth && now.call === call;
  };
  return (
    <div class={`frames lane-${kind}`}>
      <FramesTools kind={kind} items={items} />
      <DataTable
        table="frames"
        label={LANE_NAMES[kind]}
        columns={columns}
        firstSort={FIRST_SORT}
        source={localSource(rows)}
        spec={{
          keyOf: (item) => `${item.kind} ${item.thread} ${item.depth} ${item.call} ${item.name}`,
          name: (item) => <span class="clip">{laneItemName(item)}</span>,
          classOf: (item) =>
            ` pressable${isOver(item, budget) ? " over" : ""}${isFaded(item) ? " faded" : ""}`,
          isSelected,
          pick: (item) => select.call(item, "reveal"),
          open: (item) => app.views.glideTo({ from: item.start, to: item.end }),
        }}
        isBusy={lanes === null && error === null}
        error={error}
        isEmpty={lanes !== null && rows.length === 0}
        empty={
          lanes === null
            ? ""
            : noItemsText(
                kind,
                lanes[kind],
                { hasRange: range !== null, hasThreads: threads !== null },
                callWords(info?.sampled === true),
              )
        }
      />
    </div>
  );
}

// Which lane is listed, against which budget, and how many are over it.
function FramesTools({ kind, items }: { kind: LaneKind; items: readonly LaneItem[] }) {
  const { store } = useApp();
  const lanes = store.lanes.value.value;
  const budget = store.budget.value;
  const over = overText(kind, items, budget, store.info.value?.sampled === true);
  const isLate = items.some((item) => isOver(item, budget));
  return (
    <div class="tab-tools">
      <Segments
        label="Lane"
        value={kind}
        options={[...LANE_KINDS].reverse().map((one) => ({
          value: one,
          label: (
            <>
              {LANE_NAMES[one]} <span class="muted">{formatCount(lanes?.[one].count ?? 0)}</span>
            </>
          ),
        }))}
        onChoice={(one) => (store.laneKind.value = one)}
      />
      {budget === NO_BUDGET || kind === "phases" ? null : (
        <Segments
          label="Budget of a frame"
          value={store.settings.value.frameHz}
          options={BUDGETS.map(({ hz, ns }) => ({
            value: hz,
            label: `${(ns / 1e6).toFixed(1)} ms`,
            title: `What a display of ${hz} Hz leaves a frame`,
          }))}
          onChoice={(hz) => setSetting(store, { frameHz: hz })}
        />
      )}
      {over === "" ? null : <span class={isLate ? "late" : "muted"}>{over}</span>}
      <LeftOut kind={kind} />
    </div>
  );
}

// What the program left out: it tells the longest of each lane.
function LeftOut({ kind }: { kind: LaneKind }) {
  const { store } = useApp();
  const lane = store.lanes.value.value?.[kind];
  const text = lane === undefined ? "" : leftOutText(lane);
  return text === "" ? null : <span class="muted">{text}</span>;
}
