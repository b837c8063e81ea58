// Names of threads, with the id where several threads have the same name.

import { threadLabel, type TraceInfo } from "../../model/trace";

export function threadNamer(info: TraceInfo): (id: number) => string {
  const seen = new Map<string, number>();
  for (const { name } of info.threads) seen.set(name, (seen.get(name) ?? 0) + 1);
  const labels = new Map(
    info.threads.map((thread) => [
      thread.id,
      (seen.get(thread.name) ?? 0) > 1 && thread.name !== ""
        ? `${thread.name} ${thread.id}`
        : threadLabel(thread),
    ]),
  );
  return (id) => labels.get(id) ?? String(id);
}
