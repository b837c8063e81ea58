// The Profile: the old viewer's table, sorted by the program, scrolled by the page.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useCallback, useRef } from "preact/hooks";
import { plural } from "../base/format";
import { shownColumns } from "../model/columns";
import { placeOf, rowKey, sliceRows, totalRows } from "../model/profile-rows";
import { useApp } from "./context";
import { GroupTable } from "./group-table";
import { ProfileFooter } from "./profile-footer";
import { HeadRow } from "./profile-head";
import { walkProfile } from "./profile-keys";
import { ProfileRowView } from "./profile-row";
import { TableMessage } from "./table-message";
import { VirtualRows, type ShowRow } from "./virtual-rows";

export function ProfileTab() {
  const app = useApp();
  const { store, profile } = app;
  const show = useSignal<ShowRow | null>(null);
  const last = useRef({ rank: -1, rows: 0 });
  const sheet = profile.sheet.value;
  const openings = profile.openings.value;
  const clocks = store.info.value?.clocks ?? [];
  const columns = shownColumns(store.settings.value.columns, store.measure.value, clocks);
  const count = sheet?.head.count ?? 0;
  const total = totalRows(count, openings);

  const onShow = useCallback((first: number, last: number) => {
    const now = profile.openings.peek();
    const indexes = sliceRows(profile.sheet.peek()?.head.count ?? 0, now, first, last).flatMap(
      (row) => (row.kind === "method" ? row.index : []),
    );
    const start = indexes[0];
    if (start !== undefined) profile.need(start, (indexes[indexes.length - 1] ?? start) + 1);
  }, []);

  // The selected method comes into sight, wherever it was selected, with its groups when it is open.
  useSignalEffect(() => {
    const rank = store.method.value;
    const open = profile.openings.value;
    if (rank === null) {
      last.current = { rank: -1, rows: 0 };
      return;
    }
    const mine =
      open.find((opening) => profile.row(opening.index)?.rank === rank)?.rows.length ?? 0;
    if (last.current.rank === rank && last.current.rows >= mine) return;
    last.current = { rank, rows: mine };
    profile.indexOf(rank).then(
      (index) => {
        if (index === null || store.method.peek() !== rank) return;
        const inside = open.find((opening) => opening.index === index)?.rows.length ?? 0;
        show.value = { index: placeOf(index, open), rows: inside + 1 };
      },
      () => undefined, // A cancelled look-up: a newer one is under way, or the error shows in the table.
    );
  });

  const widths = columns.slice(1).map((column) => `${column.width}px`);
  return (
    <div class="with-footer" style={{ "--columns": widths.join(" ") }}>
      {store.groupBy.value === "method" ? (
        <div
          class="table"
          role="treegrid"
          aria-label="Profile"
          aria-rowcount={total + 1}
          aria-busy={profile.isLoading.value}
          onKeyDown={(event) => walkProfile(app, event)}
        >
          <div role="rowgroup">
            <HeadRow columns={columns} />
          </div>
          <VirtualRows
            count={total}
            label="Methods"
            show={show}
            onShow={onShow}
            render={(first, last) =>
              sliceRows(count, openings, first, last).map((row, ix) => (
                <ProfileRowView
                  key={rowKey(row, profile.row)}
                  row={row}
                  columns={columns}
                  place={first + ix + 2}
                />
              ))
            }
          >
            <TableMessage
              error={profile.error.value}
              isEmpty={sheet !== null && count === 0}
              empty={
                profile.filter.value === ""
                  ? "No calls in this range and these threads."
                  : "No method matches the filter."
              }
            />
          </VirtualRows>
        </div>
      ) : (
        <GroupTable />
      )}
      <ProfileFooter countText={sheet === null ? "…" : plural(count, "method")} />
    </div>
  );
}
