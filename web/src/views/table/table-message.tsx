// The message of a table without rows. In a grid it is a row: nothing else may stand there.

import type { ComponentChildren } from "preact";

export function TableMessage({
  error,
  isEmpty,
  empty,
  isInGrid = true,
}: {
  error: string | null;
  isEmpty: boolean;
  empty: ComponentChildren;
  isInGrid?: boolean;
}) {
  if (error === null && !isEmpty) return null;
  const text = error === null ? empty : <span role="alert">Not up to date: {error}</span>;
  return (
    <div
      class={error === null ? "table-message" : "table-message bad"}
      role={isInGrid ? "row" : undefined}
    >
      {isInGrid ? <div role="gridcell">{text}</div> : text}
    </div>
  );
}
