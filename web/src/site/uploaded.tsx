// A trace that was uploaded, in a list: its name, and whether the site can show it. Only of what can be shown, or may be
// once it is read, the link is offered to be copied.

import { useEffect, useState } from "preact/hooks";
import { createSiteApi, isGone } from "../api/site";
import { formatBytes } from "../base/format";
import type { SiteTrace, TraceState } from "../model/site/site";
import { CopyButton } from "./copy";

interface UploadedProps {
  readonly base: string;
  readonly id: string;
  readonly token: string;
  readonly name: string;
  readonly bytes: number;
  // Called when the site says that there is no such trace, or no longer.
  gone?(): void;
}

// How long after an answer the site is asked again while the trace is not read, and at most.
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;

const isBeingRead = ({ state }: SiteTrace): boolean => state === "queued" || state === "processing";

// Asks until the trace is read or cannot be read, or the list that has it is gone.
async function follow(
  { base, id, token, gone }: UploadedProps,
  tell: (trace: SiteTrace) => void,
  signal: AbortSignal,
): Promise<void> {
  const api = createSiteApi(base);
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      const trace = await api.look(id, token);
      if (signal.aborted) return;
      tell(trace);
      if (!isBeingRead(trace)) return;
    } catch (problem) {
      if (signal.aborted) return;
      if (isGone(problem)) return gone?.();
    }
    await new Promise((resolve) => self.setTimeout(resolve, waitMs));
    if (signal.aborted) return;
  }
}

function useTrace(props: UploadedProps): SiteTrace | null {
  const [trace, setTrace] = useState<SiteTrace | null>(null);
  useEffect(() => {
    const end = new AbortController();
    void follow(props, setTrace, end.signal);
    return () => end.abort();
  }, [props.id]);
  return trace;
}

const AFTER_SIZE: Record<TraceState, string> = {
  queued: ", uploaded; it waits to be read",
  processing: ", uploaded; it is being read",
  ready: "",
  failed: "",
};

function stateText(trace: SiteTrace | null, bytes: number): string {
  if (trace === null) return `${formatBytes(bytes)}, uploaded`;
  if (trace.state !== "failed") return `${formatBytes(bytes)}${AFTER_SIZE[trace.state]}`;
  return `It cannot be shown: ${trace.reason === "" ? "it is not readable" : trace.reason}`;
}

export function Uploaded(props: UploadedProps) {
  const { base, id, name, bytes } = props;
  const trace = useTrace(props);
  const isBad = trace?.state === "failed";
  const link = `${base}/trace/${id}/`;
  return (
    <li data-state="done" data-read={trace?.state}>
      <span>
        <a href={link}>{name}</a>{" "}
        <span class={isBad ? "how-far bad-text" : "how-far"} role="status">
          {stateText(trace, bytes)}
        </span>
      </span>
      {isBad ? null : <CopyButton text={new URL(link, location.href).href} what={name} />}
    </li>
  );
}
