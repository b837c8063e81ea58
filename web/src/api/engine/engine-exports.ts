// Exports that the engine makes: their pieces become one file, which the browser saves; and what becomes of them, told in
// the words of the program's route `exporting`.

import { fieldsOf, flagOr, textOr, type Fields } from "../check";
import { isAbortError } from "./abort";
import type { EngineHost } from "./engine-host";

interface Job {
  state: "running" | "done" | "failed" | "cancelled";
  bytes: number;
  error: string;
  changes: unknown;
  readonly abort: AbortController;
}

interface EngineExports {
  save(query: string, id: number, name: string): void;
  cancel(id: number): void;
  // As the route `exporting` answers; null: no export has this id.
  tell(id: number): Fields | null;
}

// A browser that was asked to save needs the file for a while.
const RELEASE_MS = 60_000;

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  self.setTimeout(() => URL.revokeObjectURL(link.href), RELEASE_MS);
}

function packed(blob: Blob): Promise<Blob> {
  return new Response(blob.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

function parsed(body: ArrayBuffer): Fields {
  return fieldsOf(JSON.parse(new TextDecoder().decode(body)), "export");
}

export function createEngineExports(host: EngineHost): EngineExports {
  const jobs = new Map<number, Job>();

  const make = async (job: Job, query: string, name: string): Promise<void> => {
    const pieces: ArrayBuffer[] = [];
    const take = (body: ArrayBuffer): void => {
      pieces.push(body);
      job.bytes += body.byteLength;
    };
    const { status, body } = await host.exporting(query, take, job.abort.signal);
    const answer = parsed(body);
    if (status >= 400) throw new Error(textOr(answer, "error", `status ${status}`));
    const plain = new Blob(pieces, { type: textOr(answer, "type", "application/octet-stream") });
    const file = flagOr(answer, "gzip", false) ? await packed(plain) : plain;
    job.bytes = file.size;
    job.changes = answer["changes"] ?? [];
    saveBlob(file, name);
    job.state = "done";
  };

  return {
    save: (query, id, name) => {
      const job: Job = {
        state: "running",
        bytes: 0,
        error: "",
        changes: [],
        abort: new AbortController(),
      };
      jobs.set(id, job);
      make(job, query, name).catch((problem: unknown) => {
        job.state = isAbortError(problem) ? "cancelled" : "failed";
        job.error = problem instanceof Error ? problem.message : String(problem);
      });
    },
    cancel: (id) => jobs.get(id)?.abort.abort(),
    tell: (id) => {
      const job = jobs.get(id);
      if (job === undefined) return null;
      const { state, bytes, error, changes } = job;
      return { state, bytes, done: 0, of: 0, changes, error };
    },
  };
}
