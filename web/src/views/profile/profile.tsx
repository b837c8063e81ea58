// The Profile: the old viewer's table. The program sorts it, the page scrolls it.

import { useSignal } from "@preact/signals";
import { useCallback } from "preact/hooks";
import { formatCount, plural } from "../../base/format";
import { wideColumns } from "../../model/profile/columns";
import { moveColumn } from "../../model/table/table";
import { rowKey, sliceRows, totalRows } from "../../model/profile/profile-rows";
import { barColumn, isSortedBy, nextSort } from "../../model/profile/sort";
import { isMarked } from "../../model/table/table";
import { timeOn } from "../../model/trace";
import { columnTracks, numberWidth } from "../../model/widths";
import { setSetting } from "../../state/actions/choose";
import { LINE } from "../../state/page/menu";
import { useApp } from "../shared/context";
import { NoneHere } from "../shared/empty-table";
import { GroupTable } from "./group-table";
import { profileExport } from "./profile-export";
import { profileColumnItems, ProfileFooter } from "./profile-footer";
import { walkProfile } from "./profile-keys";
import { ProfileRowView } from "./profile-row";
import { TableHead } from "../table/table-head";
import { exportItems } from "../table/table-menu";
import { useFoundInSight, useSelectedInSight } from "./profile-scroll";
import { TableMessage } from "../table/table-message";
import { useExport } from "../table/use-table";
import { VirtualRows, type ShowRow } from "../table/virtual-rows";

export function ProfileTab() {
  const { store, panels } = useApp();
  const { profile, groups } = panels;
  const isGrouped = store.groupBy.value !== "method";
  const sheet = profile.sheet.value;
  const group = groups.sheet.value;
  const count = isGrouped
    ? group === null
      ? "…"
      : `${formatCount(group.head.count)} ${store.groupBy.value === "class" ? "classes" : "packages"}`
    : sheet === null
      ? "…"
      : plural(sheet.head.count, "method");
  return (
    <div class="with-footer">
      {isGrouped ? <GroupTable /> : <MethodTable />}
      <ProfileFooter countText={count} />
    </div>
  );
}

function MethodTable() {
  const app = useApp();
  const { store } = app;
  const { profile, tables } = app.panels;
  const show = useSignal<ShowRow | null>(null);
  const sheet = profile.sheet.value;
  const openings = profile.openings.value;
  const columns = profile.columns.value;
  const cursor = tables.profile.cursor.value;
  const count = sheet?.head.count ?? 0;
  const total = totalRows(count, openings);
  const exported = profileExport(app);

  const onShow = useCallback((first: number, end: number) => {
    const now = profile.openings.peek();
    const indexes = sliceRows(profile.sheet.peek()?.head.count ?? 0, now, first, end).flatMap(
      (row) => (row.kind === "method" ? row.index : []),
    );
    const start = indexes[0];
    if (start !== undefined) profile.need(start, (indexes[indexes.length - 1] ?? start) + 1);
  }, []);

  useExport(exported, true);
  useSelectedInSight(show);
  useFoundInSight(show);

  const barred = barColumn(columns, store.sort.value, store.measure.value);
  const wholes = sheet?.head.total ?? {};
  const widths = store.settings.value.columnWidths["profile"] ?? {};
  const view = { exported, show: (index: number) => (show.value = { index, rows: 1 }) };
  const byId = (id: string) => columns.find((one) => one.id === id);
  return (
    <div
      class="table"
      role="treegrid"
      aria-label="Profile"
      aria-rowcount={total + 1}
      aria-busy={profile.isLoading.value}
      aria-multiselectable
      data-table="profile"
      style={{
        ...columnTracks(wideColumns(columns, wholes), widths, barred?.id ?? null),
        "--number": `${numberWidth(timeOn(wholes, barred?.clock ?? store.measure.value))}px`,
      }}
      onKeyDown={(event) => walkProfile(app, view, event)}
    >
      <TableHead
        table="profile"
        columns={columns}
        orderOf={(id) => {
          const column = byId(id);
          const sort = store.sort.value;
          return column !== undefined && isSortedBy(sort, column) ? sort.order : null;
        }}
        onSort={(id) => {
          const column = byId(id);
          if (column !== undefined) store.chosenSort.value = nextSort(store.sort.peek(), column);
        }}
        onMove={(dragged, onto) => {
          const ids = columns.map((one) => one.id);
          setSetting(store, { columns: moveColumn(ids, dragged, onto) });
        }}
        onMenu={(event) =>
          (app.menu.value = {
            x: event.clientX,
            y: event.clientY,
            label: "Profile",
            items: () => [...profileColumnItems(app), LINE, ...exportItems(app, exported)],
          })
        }
      />
      <VirtualRows
        count={total}
        label="Methods"
        order={Object.values(store.sort.value).join()}
        show={show}
        onShow={onShow}
        render={(first, end) =>
          sliceRows(count, openings, first, end).map((row, ix) => (
            <ProfileRowView
              key={rowKey(row, profile.row)}
              row={row}
              columns={columns}
              barred={barred}
              index={first + ix}
              isMarked={isMarked(cursor, first + ix)}
            />
          ))
        }
      >
        <TableMessage
          error={profile.error.value}
          isEmpty={sheet !== null && count === 0}
          empty={<NoneHere />}
        />
      </VirtualRows>
    </div>
  );
}
