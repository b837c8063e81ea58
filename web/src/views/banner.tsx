// The banner above the panels, where their numbers are not the whole truth: data was lost, numbers
// are affected, or the trace was sampled.

import { useSignal } from "@preact/signals";
import { plural } from "../base/format";
import { bySeverity, overflowText, sampledText } from "../model/words";
import { useApp } from "./shared/context";

export function Banner() {
  const { store } = useApp();
  // The file of the trace for which the user closed the banner: another trace has its own banner.
  const closed = useSignal("");
  const info = store.info.value;
  if (info === null || store.phase.value.kind !== "ready" || closed.value === info.file)
    return null;
  const serious = bySeverity(info.findings.filter((finding) => finding.severity !== "note"));
  const worst = serious[0];
  if (worst === undefined && !info.sampled) return null;
  const overflow = worst?.kind === "overflow" ? store.overflow.value : null;
  return (
    <div class={worst === undefined ? "banner calm" : "banner"} role="status">
      {worst === undefined ? (
        <>
          <b>Sampled.</b> <span class="clip">{sampledText(info)}</span>
        </>
      ) : (
        <>
          <b>{worst.severity === "lost" ? "Data was lost." : "Numbers are affected."}</b>{" "}
          <span class="clip">{overflow === null ? worst.text : overflowText(overflow)}</span>
        </>
      )}
      {serious.length > 1 ? (
        <span class="muted"> and {plural(serious.length - 1, "more finding")}</span>
      ) : null}
      <button class="link" onClick={() => (store.tab.value = "trace")}>
        Show findings
      </button>
      <button aria-label="Close" onClick={() => (closed.value = info.file)}>
        <i class="cross" />
      </button>
    </div>
  );
}
