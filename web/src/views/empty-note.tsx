// What the timeline says when it has no rows.

import { useApp } from "./context";

export function EmptyNote() {
  const { store } = useApp();
  const isEmpty = store.info.value?.records === 0;
  return (
    <p class="empty-note muted">
      {isEmpty ? "This trace holds no records." : "No thread is shown: choose some above."}
    </p>
  );
}
