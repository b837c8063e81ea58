// The Profile: the old viewer's table, sorted by the program, scrolled by the page.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { plural } from "../base/format";
import { shownColumns } from "../model/columns";
import { placeOf, rowKey, sliceRows, totalRows } from "../model/profile-rows";
import { scrollToShow, virtualWindow } from "../model/virtual";
import { useApp } from "./context";
import { HeadRow } from "./profile-head";
import { ProfileFooter } from "./profile-footer";
import { ProfileRowView } from "./profile-row";
import { TableMessage } from "./table-message";

const ROW_PX = 23;

export function ProfileTab() {
  const app = useApp();
  const { store, profile } = app;
  const body = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(0);
  const viewHeight = useSignal(300);

  const sheet = profile.sheet.value;
  const openings = profile.openings.value;
  const columns = shownColumns(
    store.settings.value.columns,
    store.measure.value,
    store.info.value?.clocks ?? [],
  );
  const count = sheet?.count ?? 0;
  const total = totalRows(count, openings);
  const shown = virtualWindow(total, ROW_PX, scrollTop.value, viewHeight.value);
  const rows = sliceRows(count, openings, shown.first, shown.last);

  useEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => (viewHeight.value = element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const indexes = rows.flatMap((row) => (row.kind === "method" ? row.index : []));
    const first = indexes[0];
    if (first !== undefined) profile.need(first, (indexes[indexes.length - 1] ?? first) + 1);
  });

  // The selected method comes into sight wherever it was selected.
  useSignalEffect(() => {
    const rank = store.method.value;
    if (rank === null) return;
    profile.indexOf(rank).then(
      (index) => {
        const element = body.current;
        const now = profile.sheet.peek();
        if (index === null || element === null || now === null || store.method.peek() !== rank)
          return;
        const open = profile.openings.peek();
        const all = totalRows(now.count, open);
        element.scrollTop = scrollToShow(
          placeOf(index, open),
          all,
          ROW_PX,
          element.scrollTop,
          element.clientHeight,
        );
      },
      () => undefined, // A cancelled look-up: a newer one is under way, or the error shows in the table.
    );
  });

  return (
    <div
      class="profile"
      style={{
        "--columns": columns
          .slice(1)
          .map((column) => `${column.width}px`)
          .join(" "),
      }}
    >
      <div
        class="table"
        role="treegrid"
        aria-label="Profile"
        aria-rowcount={total + 1}
        aria-busy={profile.isLoading.value}
      >
        <div role="rowgroup">
          <HeadRow columns={columns} />
        </div>
        <div
          class="table-body"
          role="rowgroup"
          ref={body}
          tabIndex={0}
          aria-label="Methods"
          onScroll={(event) => (scrollTop.value = event.currentTarget.scrollTop)}
        >
          <div class="table-space" style={{ height: `${shown.height}px` }} role="presentation">
            <div
              class="table-rows"
              style={{ transform: `translateY(${shown.top}px)` }}
              role="presentation"
            >
              {rows.map((row, ix) => (
                <ProfileRowView
                  key={rowKey(row, profile.row)}
                  row={row}
                  columns={columns}
                  place={shown.first + ix + 2}
                />
              ))}
            </div>
          </div>
          <TableMessage
            error={profile.error.value}
            isEmpty={sheet !== null && count === 0}
            empty={
              profile.filter.value !== ""
                ? "No method matches the filter."
                : "No calls in this range and these threads."
            }
          />
        </div>
      </div>
      <ProfileFooter countText={sheet === null ? "…" : plural(count, "method")} />
    </div>
  );
}
