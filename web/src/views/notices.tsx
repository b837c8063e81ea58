// Notices of what was done and of what went wrong.

import { useApp } from "./shared/context";

export function Notices() {
  const { store } = useApp();
  const close = (id: number): void => {
    store.notices.value = store.notices.peek().filter((notice) => notice.id !== id);
  };
  return (
    <div class="notices" role="region" aria-label="Notices" aria-live="polite">
      {store.isConnected.value || store.phase.value.kind === "failed" ? null : (
        <div class="notice bad">
          The program does not answer. What is on the screen stays; start traceview again for more.
        </div>
      )}
      {store.notices.value.map((notice) => (
        <div key={notice.id} class={notice.kind === "error" ? "notice bad" : "notice"}>
          <span>{notice.text}</span>
          <button aria-label="Close" onClick={() => close(notice.id)}>
            <i class="cross" />
          </button>
        </div>
      ))}
    </div>
  );
}
