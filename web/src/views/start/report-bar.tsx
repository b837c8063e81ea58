// The bar above a report: what its maker says about the trace.

import { useApp } from "../shared/context";

export function ReportBar() {
  const { shared } = useApp().store.can.value;
  if (shared === null) return null;
  return (
    <section class="site-bar report-bar" aria-label="About this report">
      <b>{shared.title}</b>
      {shared.note === "" ? null : <p class="muted">{shared.note}</p>}
    </section>
  );
}
