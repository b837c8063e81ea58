// The findings: what was odd in the file and did not stop the reader, the gravest first.

import { formatBytes, formatCount } from "../../base/format";
import { filterRows, tableCsv, tableText } from "../../model/table/table";
import { bySeverity, overflowText, sampledText, SEVERITIES } from "../../model/words";
import { FINDING_COLUMNS } from "../../model/trace/trace-columns";
import type { Finding, TraceInfo } from "../../model/trace";
import { item } from "../../state/page/menu";
import { useApp } from "../shared/context";
import { menuBelow } from "../shared/menu-below";
import { NoneOfFilter } from "../shared/empty-table";
import { copyText } from "../shared/share";

export function Findings({ info, filter }: { info: TraceInfo; filter: string }) {
  const app = useApp();
  const sorted = filterRows(bySeverity(info.findings), FINDING_COLUMNS, filter);
  return (
    <section aria-label="Findings" tabIndex={0}>
      <div class="section-head">
        <h2>Findings</h2>
        {sorted.length === 0 ? null : (
          <button
            class="link"
            aria-haspopup="menu"
            onClick={(event) =>
              menuBelow(app, event.currentTarget, "Findings", () => [
                item("Copy the findings", () =>
                  copyText(app, tableText(sorted, FINDING_COLUMNS, true), "Findings"),
                ),
                item("Copy as CSV", () =>
                  copyText(app, tableCsv(sorted, FINDING_COLUMNS), "Findings"),
                ),
              ])
            }
          >
            Copy
          </button>
        )}
      </div>
      {info.findings.length === 0 ? (
        <p class="muted">Nothing odd: every record was understood.</p>
      ) : null}
      {info.findings.length > 0 && sorted.length === 0 ? (
        <p class="muted">
          <NoneOfFilter what="finding" />
        </p>
      ) : null}
      {info.sampled ? (
        <div class="finding note">
          <b>note</b>
          <p>
            This trace was sampled: it tells where methods were seen, not each of their calls.{" "}
            {sampledText(info)}
          </p>
        </div>
      ) : null}
      {sorted.map((finding) => (
        <FindingCard key={finding.kind} finding={finding} />
      ))}
    </section>
  );
}

function FindingCard({ finding }: { finding: Finding }) {
  const { store } = useApp();
  const overflow = finding.kind === "overflow" ? store.overflow.value : null;
  return (
    <div class={`finding ${finding.severity}`}>
      <b>{SEVERITIES[finding.severity].label}</b>
      <p>{overflow === null ? finding.text : overflowText(overflow)}</p>
      <small class="muted">
        <code>{finding.kind}</code> · {formatCount(finding.count)}×
        {finding.offset === null
          ? ""
          : ` · first at byte ${formatCount(finding.offset)} (${formatBytes(finding.offset)})`}
      </small>
    </div>
  );
}
