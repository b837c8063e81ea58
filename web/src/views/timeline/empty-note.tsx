// The note in a timeline that has nothing to show, with the reason.

import { useApp } from "../shared/context";

export function EmptyNote() {
  const { store } = useApp();
  const info = store.info.value;
  const text =
    info?.records === 0
      ? "This trace holds no records."
      : store.rows.value.rows.length === 0
        ? "No thread is shown: choose some above."
        : info?.span === 0
          ? "No time passes in this trace: its calls have no length, and stand at the left edge."
          : null;
  return text === null ? null : <p class="empty-note muted">{text}</p>;
}
