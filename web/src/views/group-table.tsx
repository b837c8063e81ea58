// The Profile by class or by package; a press lists the methods of one.

import { formatCount, formatMs, formatPercent } from "../base/format";
import type { GroupRow } from "../model/group";
import { barShare } from "../model/profile-rows";
import { MEASURE_NAMES, timeOn } from "../model/trace";
import { useApp } from "./context";
import { TableMessage } from "./table-message";
import { VirtualRows } from "./virtual-rows";

const BAR_PX = 58;

export function GroupTable() {
  const { store, groups } = useApp();
  const rows = groups.rows.value;
  const name = MEASURE_NAMES[store.measure.value];
  return (
    <div
      class="table"
      role="grid"
      aria-label={`Profile by ${store.groupBy.value}`}
      aria-rowcount={rows.length + 1}
      aria-busy={groups.isLoading.value}
      style={{ "--columns": "170px 90px 110px 110px" }}
    >
      <div role="rowgroup">
        <div class="tr head" role="row">
          {["Name", `Excl ${name}`, "%", "Calls", "Methods"].map((label, ix) => (
            <div key={label} class={ix === 0 ? "td name" : "td"} role="columnheader">
              {label}
            </div>
          ))}
        </div>
      </div>
      <VirtualRows
        count={rows.length}
        label="Groups"
        render={(first, last) =>
          rows.slice(first, last).map((row) => <GroupLine key={row.name} row={row} />)
        }
      >
        <TableMessage
          error={groups.error.value}
          isEmpty={rows.length === 0 && !groups.isLoading.value}
          empty="No calls in this range and these threads."
        />
      </VirtualRows>
    </div>
  );
}

function GroupLine({ row }: { row: GroupRow }) {
  const { store, groups, profile } = useApp();
  const measure = store.measure.value;
  const time = timeOn(row.exclusive, measure) ?? 0;
  const total = timeOn(groups.total.value, measure) ?? 0;
  const bar = barShare(time, total) * BAR_PX;
  return (
    <div
      class="tr pressable"
      role="row"
      title="Press to list its methods"
      onClick={() => {
        store.groupBy.value = "method";
        profile.filter.value = row.name === "" ? "" : `${row.name}.`;
      }}
    >
      <div class="td name group-name" role="gridcell">
        <code>{row.name === "" ? "(no package)" : row.name.replaceAll("/", ".")}</code>
      </div>
      <div class="td" role="gridcell">
        {bar > 0 ? <span class="bar-mark" style={{ width: `${Math.max(1, bar)}px` }} /> : null}
        {formatMs(time)}
      </div>
      <div class="td" role="gridcell">
        {formatPercent(time, total)}
      </div>
      <div class="td" role="gridcell">
        {formatCount(row.calls)}
      </div>
      <div class="td" role="gridcell">
        {formatCount(row.methods)}
      </div>
    </div>
  );
}
