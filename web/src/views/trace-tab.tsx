// The Trace tab: what the file says of itself, its threads, and what was odd in it.

import { formatBytes, formatCount, formatDuration } from "../base/format";
import { overheadOf } from "../model/overhead";
import type { Finding, Severity, TraceInfo } from "../model/trace";
import { useApp } from "./context";
import { TraceThreads } from "./trace-threads";

const SEVERITY: Record<Severity, { readonly label: string; readonly rank: number }> = {
  lost: { label: "data lost", rank: 0 },
  affected: { label: "numbers affected", rank: 1 },
  note: { label: "note", rank: 2 },
};

export function TraceTab() {
  const { store } = useApp();
  const info = store.info.value;
  if (info === null) return null;
  return (
    <div class="trace-tab">
      <section aria-label="Properties" tabIndex={0}>
        <h2>Properties</h2>
        <dl class="facts-list">
          {factsOf(info).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {info.properties.length === 0 ? null : <h2>As the file says</h2>}
        <dl class="facts-list">
          {info.properties.map(([key, value]) => (
            <div key={key}>
              <dt>
                <code>{key}</code>
              </dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <Findings findings={info.findings} />
      <TraceThreads threads={info.threads} />
    </div>
  );
}

function factsOf(info: TraceInfo): [string, string][] {
  const overhead = overheadOf(info, info.calls);
  return [
    ["File", info.file],
    [
      "Format",
      `${info.format}${info.vm === "" ? "" : `, ${info.vm}`}${info.sampled ? ", sampled" : ""}`,
    ],
    ["Clocks", info.clocks.map((clock) => (clock === "cpu" ? "CPU" : "wall")).join(", ")],
    ["Duration", formatDuration(info.span)],
    ...(info.startTime > 0
      ? ([["Recorded", new Date(info.startTime / 1e6).toLocaleString()]] satisfies [
          string,
          string,
        ][])
      : []),
    ["Records", formatCount(info.records)],
    [info.sampled ? "Runs" : "Calls", formatCount(info.calls)],
    ["Methods", formatCount(info.methods)],
    ["Threads", formatCount(info.threads.length)],
    ...(overhead === null
      ? []
      : ([["Tracing (estimate)", `at least ${formatDuration(overhead)}`]] satisfies [
          string,
          string,
        ][])),
  ];
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  const sorted = [...findings].sort(
    (a, b) => SEVERITY[a.severity].rank - SEVERITY[b.severity].rank,
  );
  return (
    <section aria-label="Findings" tabIndex={0}>
      <h2>Findings</h2>
      {sorted.length === 0 ? <p class="muted">Nothing odd: every record was understood.</p> : null}
      {sorted.map((finding) => (
        <div class={`finding ${finding.severity}`} key={finding.kind}>
          <b>{SEVERITY[finding.severity].label}</b>
          <p>{finding.text}</p>
          <small class="muted">
            <code>{finding.kind}</code> · {formatCount(finding.count)}×
            {finding.offset === null
              ? ""
              : ` · first at byte ${formatCount(finding.offset)} (${formatBytes(finding.offset)})`}
          </small>
        </div>
      ))}
    </section>
  );
}
