// How grave a finding is, in words and in order.

import type { Finding, Severity } from "./trace";

export const SEVERITIES: Record<Severity, { readonly label: string; readonly rank: number }> = {
  lost: { label: "data lost", rank: 0 },
  affected: { label: "numbers affected", rank: 1 },
  note: { label: "note", rank: 2 },
};

export function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((a, b) => SEVERITIES[a.severity].rank - SEVERITIES[b.severity].rank);
}
