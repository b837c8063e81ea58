// One row of the Profile: a method, or one of the rows inside an opened method.

import { methodCell, type Column } from "../../model/profile/columns";
import { cellChange, runsCell } from "../../model/profile/old-columns";
import { barShare, type VisualRow } from "../../model/profile/profile-rows";
import { timeOn, type ProfileRow, type Times } from "../../model/trace";
import { useApp } from "../shared/context";
import { MethodName, Swatch } from "../shared/method-name";
import { markRow } from "../../state/panels/marked-rows";
import { markedItems } from "../shared/lens-menu";
import { methodItems } from "../shared/method-actions";
import { ShowButton } from "../shared/show-button";
import { drawnRuns } from "../table/run-dots";
import { changeTone } from "../shared/change-tone";
import { Cell } from "../table/cell";
import { InsideRowView } from "./profile-relations";

interface Props {
  readonly row: VisualRow;
  readonly columns: readonly Column[];
  // The column with the bars.
  readonly barred: Column | null;
  // The number of the row among those on the screen, from 0.
  readonly index: number;
  readonly isMarked: boolean;
}

export function ProfileRowView({ row, columns, barred, index, isMarked }: Props) {
  const app = useApp();
  const { profile } = app.panels;
  const place = index + 2;
  const onPick = (event: MouseEvent): void =>
    markRow(app, index, row.kind === "method" ? profile.row(row.index)?.rank : undefined, event);
  if (row.kind !== "method")
    return (
      <InsideRowView
        row={row}
        columns={columns}
        barred={barred}
        place={place}
        isMarked={isMarked}
        onPick={onPick}
      />
    );
  const method = profile.row(row.index);
  if (method === undefined)
    return (
      <div class="tr waiting" role="row" aria-rowindex={place}>
        <div class="td name" role="gridcell">
          …
        </div>
      </div>
    );
  return (
    <MethodRowView
      method={method}
      columns={columns}
      barred={barred}
      place={place}
      isMarked={profile.picked.value.size > 0 ? profile.picked.value.has(method.rank) : isMarked}
      onPick={onPick}
    />
  );
}

function MethodRowView({
  method,
  columns,
  barred,
  place,
  isMarked,
  onPick,
}: Pick<Props, "columns" | "barred" | "isMarked"> & {
  method: ProfileRow;
  place: number;
  onPick: (event: MouseEvent) => void;
}) {
  const app = useApp();
  const { store, select } = app;
  const { profile } = app.panels;
  const total = profile.sheet.value?.head.total ?? {};
  const isOpen = profile.isOpen(method.rank);
  const isSelected = store.method.value === method.rank;
  const isFaded = store.matches.value?.has(method.rank) === false;
  const classes = `tr${isSelected ? " selected" : ""}${isMarked ? " marked" : ""}${isFaded ? " faded" : ""}${method.isMostlyOverhead === true ? " overhead" : ""}`;
  const showCalls = (): void => {
    select.method(method.rank);
    store.tab.value = "calls";
  };
  return (
    <div
      class={classes}
      role="row"
      aria-rowindex={place}
      aria-level={1}
      aria-expanded={isOpen}
      aria-selected={isSelected || isMarked}
      data-rank={method.rank}
      onClick={(event) => {
        onPick(event);
        if (!event.shiftKey && !event.ctrlKey && !event.metaKey) select.method(method.rank);
      }}
      onDblClick={() => profile.toggle(method.rank)}
      onContextMenu={(event) => {
        event.preventDefault();
        app.menu.value = {
          x: event.clientX,
          y: event.clientY,
          label: method.name,
          items: () => [...markedItems(app, method.rank), ...methodItems(app, method)],
        };
      }}
    >
      <div class="td name" role="gridcell">
        <button
          class="twist-button"
          tabIndex={-1}
          aria-label={isOpen ? "Close" : "Open"}
          onClick={(event) => {
            event.stopPropagation();
            select.method(method.rank);
            profile.toggle(method.rank);
          }}
        >
          <i class={isOpen ? "twist open" : "twist"} />
        </button>
        <Swatch rank={method.rank} />
        <MethodName method={method} />
        {isSelected ? <ShowButton rank={method.rank} isInRow /> : null}
      </div>
      {columns.slice(1).map((column) => (
        <Cell
          key={column.id}
          text={methodCell(method, column, total)}
          isText={column.isText === true}
          tone={changeTone(cellChange(method, column))}
          drawn={drawnRuns(runsCell(method, column))}
          bar={column === barred ? barFor(method, column, total) : null}
          {...(column.id === "calls" ? { onPress: showCalls } : {})}
        />
      ))}
    </div>
  );
}

function barFor(method: ProfileRow, { key, clock }: Column, whole: Times): number | null {
  if (clock === null) return null;
  const times = key === "exclusive" ? method.exclusive : method.inclusive;
  return barShare(timeOn(times, clock), timeOn(whole, clock));
}
