// What went wrong or got done, and a banner where the numbers are affected.

import { useSignal } from "@preact/signals";
import { plural } from "../base/format";
import { useApp } from "./context";

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

export function Banner() {
  const { store } = useApp();
  const isClosed = useSignal(false);
  const serious = (store.info.value?.findings ?? []).filter(
    (finding) => finding.severity !== "note",
  );
  if (isClosed.value || serious.length === 0 || store.phase.value.kind !== "ready") return null;
  const first = serious[0];
  const isLost = serious.some((finding) => finding.severity === "lost");
  return (
    <div class="banner" role="status">
      <b>{isLost ? "Data was lost." : "Numbers are affected."}</b> <span>{first?.text}</span>
      {serious.length > 1 ? (
        <span class="muted"> and {plural(serious.length - 1, "more finding")}</span>
      ) : null}
      <button class="link" onClick={() => (store.tab.value = "trace")}>
        Show findings
      </button>
      <button aria-label="Close" onClick={() => (isClosed.value = true)}>
        <i class="cross" />
      </button>
    </div>
  );
}
