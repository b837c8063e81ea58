// The bar: the file, what it holds, the clock, the threads, search, share, view, help.

import { formatCount, plural } from "../base/format";
import { hasMeasure, type Measure, type TraceInfo } from "../model/trace";
import { MineChip } from "./chips/hidden-chips";
import { MEASURE_WORDS, spanText } from "../model/words";
import { setMeasure } from "../state/actions/choose";
import { useApp } from "./shared/context";
import { menuBelow } from "./shared/menu-below";
import { Segments } from "./shared/segments";
import { SearchField } from "./search/search-field";
import { shareItems } from "./share-menu";
import { RecordButton } from "./record/record-button";
import { ThreadButton } from "./thread-button";
import { viewItems } from "./view-menu";

// Threads without records are in no table and no time: as everywhere, those with records count, where there are any.
function countedThreads({ records, threads }: TraceInfo): number {
  return records === 0 ? threads.length : threads.filter((thread) => thread.records > 0).length;
}

function withoutText(info: TraceInfo): string | undefined {
  const without = info.threads.length - countedThreads(info);
  return without === 0 ? undefined : `${plural(without, "more thread")} without records`;
}

export function Bar() {
  const app = useApp();
  const info = app.store.info.value;
  return (
    <header class="bar">
      <h1 title={info?.file ?? ""}>{info?.file ?? "traceview"}</h1>
      {info === null ? (
        <RecordButton />
      ) : (
        <>
          <span class="muted facts" title={withoutText(info)}>
            {info.records === 0 ? "no records" : spanText(info)} ·{" "}
            {plural(countedThreads(info), "thread")} · {formatCount(info.calls)}{" "}
            {info.sampled ? "runs · sampled" : info.calls === 1 ? "call" : "calls"}
          </span>
          <ClockSwitch info={info} />
          {info.hasIdleCpu ? <span class="muted idle-clock">CPU never moves</span> : null}
          <ThreadButton />
          <MineChip />
          {/* What comes later takes its room from the search, so that nothing else moves. */}
          <SearchField />
          <RecordButton />
          <MarksButton />
          <button
            class="button"
            aria-haspopup="menu"
            onClick={(event) => menuBelow(app, event.currentTarget, "Share", () => shareItems(app))}
          >
            Share
          </button>
        </>
      )}
      <button
        class="button"
        aria-haspopup="menu"
        onClick={(event) => menuBelow(app, event.currentTarget, "View", () => viewItems(app))}
      >
        View
      </button>
      <button
        class="button icon"
        aria-label="Keys and gestures"
        title="Keys and gestures (?)"
        onClick={() => (app.store.dialog.value = "help")}
      >
        ?
      </button>
    </header>
  );
}

function ClockSwitch({ info }: { info: TraceInfo }) {
  const { store } = useApp();
  const has = (measure: Measure): boolean => hasMeasure(info, measure);
  const measures: readonly Measure[] = ["wall", "cpu", "wait"];
  const titles: Record<Measure, string> = {
    wall: "Wall time: what a clock on the wall says",
    cpu: "CPU time: what the thread's own clock says",
    wait: "Wait: wall time that was not CPU time",
  };
  const missing = info.hasIdleCpu
    ? "The CPU clock of this trace never moves"
    : "This trace does not have this clock";
  return (
    <Segments
      label="Clock"
      value={store.measure.value}
      options={measures.map((measure) => ({
        value: measure,
        label: MEASURE_WORDS[measure].label,
        title: has(measure) ? titles[measure] : missing,
        isOff: !has(measure),
      }))}
      onChoice={(measure) => setMeasure(store, measure)}
    />
  );
}

// The button shows once there are marks; the first mark is set by its key.
function MarksButton() {
  const { store } = useApp();
  const { length } = store.marks.value;
  if (length === 0) return null;
  return (
    <button
      class="button"
      aria-haspopup="dialog"
      aria-label={plural(length, "mark")}
      title="Marks (Shift+M)"
      onClick={() => (store.dialog.value = "marks")}
    >
      <i class="flag" /> {length}
    </button>
  );
}
