// Every call of the selected method: how long they take, the slowest first, each one step away in the
// timeline.

import { useSignal } from "@preact/signals";
import { plural } from "../base/format";
import { fullName } from "../model/names";
import { CallLine } from "./call-line";
import { useApp } from "./context";
import { Histogram } from "./histogram";
import { Swatch } from "./method-name";
import { Overhead } from "./overhead";
import { copyCallsCsv } from "./share";
import { TableMessage } from "./table-message";
import { VirtualRows, type ShowRow } from "./virtual-rows";

const COLUMNS = "130px 110px 110px 110px 110px 120px";

export function CallsTab() {
  const app = useApp();
  const { store, calls, select } = app;
  const show = useSignal<ShowRow | null>(null);
  const rank = store.method.value;
  const sheet = calls.sheet.value;
  void store.names.version.value;
  if (rank === null)
    return (
      <div class="tab-hint">
        Select a method, in the timeline or in the Profile, to see all of its calls.
      </div>
    );
  const method = store.names.get(rank);
  const head = sheet !== null && sheet.head.rank === rank ? sheet.head : null;
  const count = head?.count ?? 0;
  const median = (store.measure.value === "cpu" ? head?.stats.cpu : head?.stats.wall)?.p50 ?? 0;
  return (
    <div class="calls">
      <div class="calls-head">
        <div class="calls-title">
          <Swatch rank={rank} />
          <code class="clip">{method === undefined ? "…" : fullName(method)}</code>
        </div>
        <div class="calls-tools">
          <div class="segments" role="radiogroup" aria-label="Order of calls">
            {(["slowest", "first"] as const).map((order) => (
              <button
                key={order}
                role="radio"
                aria-checked={calls.order.value === order}
                class={calls.order.value === order ? "on" : ""}
                onClick={() => (calls.order.value = order)}
              >
                {order === "slowest" ? "Slowest first" : "By start"}
              </button>
            ))}
          </div>
          <button
            class="button icon"
            aria-label="Previous call"
            title="Previous call (,)"
            onClick={() => select.step("prev")}
          >
            <i class="up" />
          </button>
          <button
            class="button icon"
            aria-label="Next call"
            title="Next call (.)"
            onClick={() => select.step("next")}
          >
            <i class="down" />
          </button>
          <button class="link" title="Copy the calls as CSV" onClick={() => copyCallsCsv(app)}>
            CSV
          </button>
        </div>
        {head === null ? null : (
          <Histogram
            head={head}
            onBar={(bar) => {
              // Slowest first: the calls of a bar follow those of all bars to its right.
              calls.order.value = "slowest";
              const index = head.histogram.bars
                .slice(bar + 1)
                .reduce((sum, one) => sum + one.count, 0);
              show.value = { index, rows: 1 };
            }}
          />
        )}
        <Overhead />
      </div>
      <div
        class="table"
        role="grid"
        aria-label="Calls"
        aria-rowcount={count + 1}
        style={{ "--columns": COLUMNS }}
      >
        <div role="rowgroup">
          <div class="tr head" role="row">
            {["Call", "Start, ms", "Wall, ms", "CPU, ms", "Wait, ms", "Self, ms", "× median"].map(
              (label, ix) => (
                <div key={label} class={ix === 0 ? "td name" : "td"} role="columnheader">
                  {label}
                </div>
              ),
            )}
          </div>
        </div>
        <VirtualRows
          count={count}
          label="Calls"
          show={show}
          onShow={calls.need}
          render={(first, last) =>
            Array.from({ length: last - first }, (_, ix) => (
              <CallLine key={first + ix} row={calls.row(first + ix)} median={median} />
            ))
          }
        >
          <TableMessage
            error={calls.error.value}
            isEmpty={head !== null && count === 0}
            empty={`No calls of it in this range and these threads${store.range.value === null ? "" : "; widen the range to see them"}.`}
          />
        </VirtualRows>
      </div>
      <div class="sr-only" aria-live="polite">
        {head === null ? "" : plural(count, "call")}
      </div>
    </div>
  );
}
