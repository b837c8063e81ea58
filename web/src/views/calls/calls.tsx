// The Calls tab: every call of the selected method, the slowest first. A press on a call shows it
// in the timeline.

import { formatCount, formatDuration } from "../../base/format";
import {
  callsColumns,
  OUTLIER_TIMES,
  timesMedian,
  type CallsContext,
} from "../../model/calls/calls-columns";
import { againText, countText, outlierText } from "../../model/calls/calls-text";
import { callPlace } from "../../model/link-parts";
import { callWords, theseCalls } from "../../model/words";
import { sameCall, type CallRow } from "../../model/trace";
import type { App } from "../../state/page/app";
import { CallsHeadView } from "./calls-head";
import { callItems } from "./call-actions";
import { useApp } from "../shared/context";
import { NoCallHere } from "../shared/empty-table";
import { lookThroughBar } from "../shared/lens-menu";
import type { Source } from "../table/data-source";
import { DataTable } from "../table/data-table";
import type { LineSpec } from "../table/data-line";
import { TableFooter } from "../table/table-footer";
import { threadNamer } from "../shared/thread-namer";

// The most calls that are copied: no clipboard or spreadsheet can use more, and one answer can hold them.
const MOST_CALLS = 50_000;
const PAGE = 1000;

export function CallsTab() {
  const app = useApp();
  const { store } = app;
  const { calls } = app.panels;
  const rank = store.method.value;
  const info = store.info.value;
  const sheet = calls.sheet.value;
  if (rank === null || info === null)
    return (
      <div class="tab-hint">
        Select a method, in the timeline or in the Profile, to see all of its{" "}
        {callWords(info?.sampled === true).many}.
      </div>
    );
  const head = sheet !== null && sheet.head.rank === rank ? sheet.head : null;
  const measure = store.measure.value;
  const context: CallsContext = {
    clocks: info.clocks,
    measure,
    median: measure === "wait" ? 0 : (head?.stats[measure]?.p50 ?? 0),
    isSampled: info.sampled,
    span: info.span,
    threadName: threadNamer(info),
  };
  const columns = callsColumns(context);
  const source: Source<CallRow> = {
    count: head?.listed ?? 0,
    row: calls.row,
    need: calls.need,
    all: () => allCalls(app),
  };
  return (
    <div class="calls">
      <CallsHeadView rank={rank} head={head} />
      <div class="with-footer">
        <DataTable
          table="calls"
          label={callWords(info.sampled).heading}
          columns={columns}
          firstSort={{ column: measure, order: "desc" }}
          source={source}
          spec={callSpec(app, context)}
          isBusy={calls.isLoading.value}
          error={calls.error.value}
          isEmpty={head !== null && head.listed === 0}
          empty={<NoCallHere />}
        />
        <TableFooter
          table="calls"
          columns={columns}
          count={head === null ? "…" : countText(head, callWords(info.sampled))}
        >
          <LimitChip />
        </TableFooter>
      </div>
    </div>
  );
}

function LimitChip() {
  const app = useApp();
  const { calls } = app.panels;
  const words = callWords(app.store.info.value?.sampled === true);
  const limits = calls.limits.value;
  if (limits === null) return null;
  return (
    <>
      <button class="chip" title={againText(words)} onClick={() => (calls.limits.value = null)}>
        {formatDuration(limits.min)} to {formatDuration(limits.max)} <i class="cross" />
      </button>
      <button class="button" title="L" onClick={() => lookThroughBar(app)}>
        Only {theseCalls(false, words)}, in all panels
      </button>
    </>
  );
}

function callSpec(app: App, context: CallsContext): LineSpec<CallRow> {
  const { store, select } = app;
  return {
    keyOf: callPlace,
    name: (row) => (
      <>
        <span class="ordinal">{formatCount(row.ordinal + 1)}</span>
        {timesMedian(row, context) >= OUTLIER_TIMES ? (
          <span class="outlier" title={outlierText()}>
            unusually long
          </span>
        ) : null}
      </>
    ),
    classOf: (row) =>
      timesMedian(row, context) >= OUTLIER_TIMES ? " pressable outlying" : " pressable",
    attributes: () => ({ title: "Press to see it in the timeline" }),
    isSelected: (row) => sameCall(store.call.value, row),
    pick: (row) => select.listed(row, "reveal"),
    items: (row) => callItems(app, row),
  };
}

async function allCalls(app: App): Promise<readonly CallRow[]> {
  const query = app.panels.calls.current()?.query;
  const rows: CallRow[] = [];
  if (query === undefined) return rows;
  const { signal } = new AbortController();
  let listed = 1;
  while (rows.length < Math.min(listed, MOST_CALLS)) {
    const page = await app.store.api.calls({ ...query, offset: rows.length, n: PAGE }, signal);
    listed = page.listed;
    if (page.calls.length === 0) break;
    rows.push(...page.calls);
  }
  if (rows.length < listed)
    app.store.notify(
      "error",
      `Only the first ${formatCount(rows.length)} of ${formatCount(listed)} rows fit; narrow the range for the rest.`,
    );
  return rows;
}
