// A list of which the first rows stand open, and the others behind a line that says how many they are.

import type { ComponentChildren } from "preact";
import { formatCount } from "../../base/format";

interface FoldedProps<Row> {
  readonly label: string;
  readonly most: number;
  readonly of: readonly Row[];
  readonly children: (row: Row) => ComponentChildren;
}

export function Folded<Row>({ label, most, of, children }: FoldedProps<Row>) {
  if (of.length === 0) return null;
  const items = (rows: readonly Row[]) => rows.map((row, ix) => <li key={ix}>{children(row)}</li>);
  return (
    <>
      <ul aria-label={label}>{items(of.slice(0, most))}</ul>
      {of.length <= most ? null : (
        <details>
          <summary>and {formatCount(of.length - most)} more</summary>
          <ul aria-label={`${label}, the others`}>{items(of.slice(most))}</ul>
        </details>
      )}
    </>
  );
}
