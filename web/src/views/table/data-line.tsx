// One row of a table.

import type { ComponentChildren, HTMLAttributes } from "preact";
import type { TableColumn } from "../../model/table/table";
import type { MenuItem } from "../../state/page/menu";
import { Cell } from "./cell";
import { useApp } from "../shared/context";

// How the rows of a table look and what they do, besides their columns.
export interface LineSpec<R> {
  keyOf(row: R): string;
  name(row: R): ComponentChildren;
  // The bars beside the numbers of a column of times: the one that the table is sorted by, else the usual one.
  readonly bar?: {
    readonly usual: string;
    // The length of the bar in that column, as a share of the longest.
    share(row: R, column: string): number | null;
    // The time that the longest bar is of; no number in the column is longer.
    whole(column: string): number | undefined;
  };
  classOf?(row: R): string;
  // The class of a cell that tells of a change; empty: of none.
  toneOf?(row: R, column: string): string;
  // What a cell has in place of its text; undefined: the text.
  drawOf?(row: R, column: string): ComponentChildren;
  attributes?(row: R): HTMLAttributes<HTMLDivElement>;
  isSelected?(row: R): boolean;
  // Called at a press on the row, and when a key leads to it.
  pick?(row: R): void;
  // Called at Enter and at a double press.
  open?(row: R): void;
  // Called at the right and the left arrow; tells whether they did something.
  turn?(row: R, side: "open" | "close"): boolean;
  // Called at Enter with Shift: lists what the row stands for; tells whether it did.
  list?(row: R): boolean;
  // Called at any other key; tells whether it did something.
  letter?(row: R, event: KeyboardEvent): boolean;
  items?(row: R): readonly MenuItem[];
}

interface Props<R> {
  readonly row: R | undefined;
  readonly place: number;
  readonly columns: readonly TableColumn<R>[];
  readonly spec: LineSpec<R>;
  // The column with the bars.
  readonly barred: string | null;
  readonly isMarked: boolean;
  onPick(event: MouseEvent): void;
}

export function DataLine<R>({ row, place, columns, spec, barred, isMarked, onPick }: Props<R>) {
  const app = useApp();
  if (row === undefined)
    return (
      <div class="tr waiting" role="row" aria-rowindex={place}>
        <div class="td name" role="gridcell">
          …
        </div>
      </div>
    );
  const isSelected = spec.isSelected?.(row) ?? false;
  const extra = spec.classOf?.(row) ?? "";
  const classes = `tr${isSelected ? " selected" : ""}${isMarked ? " marked" : ""}${extra}`;
  return (
    <div
      role="row"
      aria-rowindex={place}
      aria-selected={isSelected || isMarked}
      {...spec.attributes?.(row)}
      class={classes}
      onClick={onPick}
      onDblClick={() => spec.open?.(row)}
      onContextMenu={(event) => {
        const items = spec.items;
        if (items === undefined) return;
        event.preventDefault();
        app.menu.value = {
          x: event.clientX,
          y: event.clientY,
          label: columns[0]?.text(row) ?? "",
          items: () => items(row),
        };
      }}
    >
      <div class="td name" role="gridcell">
        {spec.name(row)}
      </div>
      {columns.slice(1).map((column) => (
        <Cell
          key={column.id}
          text={column.text(row)}
          bar={column.id === barred ? (spec.bar?.share(row, barred) ?? null) : null}
          isText={column.isText === true}
          drawn={spec.drawOf?.(row, column.id)}
          tone={spec.toneOf?.(row, column.id) ?? ""}
        />
      ))}
    </div>
  );
}
