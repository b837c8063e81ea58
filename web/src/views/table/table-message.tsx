// The message of a table without rows.

import type { ComponentChildren } from "preact";

export function TableMessage({
  error,
  isEmpty,
  empty,
}: {
  error: string | null;
  isEmpty: boolean;
  empty: ComponentChildren;
}) {
  if (error !== null)
    return (
      <div class="table-message bad" role="alert">
        Not up to date: {error}
      </div>
    );
  return isEmpty ? <div class="table-message">{empty}</div> : null;
}
