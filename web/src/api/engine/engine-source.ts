// The source inside the page: an engine in a worker answers what a program would, from a file that the browser reads.

import type { PageFile } from "../../model/page/single-file";
import { fieldsOf, numberOr, textOr } from "../check";
import { writeRuns } from "../../model/changes/runs";
import { Refused } from "../request";
import {
  OWN_TRACE,
  queryText,
  type Abilities,
  type Answer,
  type Source,
  type TraceName,
} from "../source";
import { nameOfPlace, placeOfName } from "./compared-traces";
import { createEngineContent, type EngineContent, type Example } from "./engine-content";
import { createEngineExports } from "./engine-exports";
import { createEngineHost, type EngineHost } from "./engine-host";
import type { EngineAnswer, EngineWorker, PagePieces } from "./engine-worker";
import { keepSettings, readKeptSettings } from "./browser-storage";

function answerOf(body: ArrayBuffer | string): Answer {
  return {
    arrayBuffer: async () =>
      typeof body === "string" ? new TextEncoder().encode(body).buffer : body,
    json: async (): Promise<unknown> =>
      JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)),
  };
}

function reasonIn({ status, body }: EngineAnswer): string {
  const text = new TextDecoder().decode(body);
  try {
    return textOr(fieldsOf(JSON.parse(text), "error"), "error", `status ${status}`);
  } catch {
    return `status ${status}`;
  }
}

async function askHost(
  host: EngineHost,
  place: number,
  route: string,
  query: string,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const answer = await host.ask(place, route, query, signal);
  if (answer.status >= 400) throw new Refused(answer.status, reasonIn(answer));
  return answer.body;
}

// A compared trace is named after its place in the engine.
function placeOf({ place }: EngineContent, trace: TraceName): number {
  return trace === OWN_TRACE ? place : placeOfName(trace);
}

// The answer that the page asks for first is put together here: the engine knows only the trace.
async function firstOf(
  host: EngineHost,
  content: EngineContent,
  trace: TraceName,
  signal: AbortSignal,
): Promise<string> {
  const { traceNumber, isLoading, error, compared, place } = content;
  const names = trace === OWN_TRACE ? content.names : null;
  const runs = compared?.runs ?? null;
  const state = {
    trace: traceNumber,
    loading: isLoading,
    saves: true,
    own: nameOfPlace(place),
    ...(compared === null ? {} : { compared: compared.set }),
    ...(runs === null ? {} : { runs: writeRuns(runs) }),
    ...(error === null ? {} : { error }),
    ...(names === null ? {} : { names }),
  };
  const others = `"state":${JSON.stringify(state)},"settings":${JSON.stringify(readKeptSettings())}`;
  if (!host.isOpen()) return `{${others}}`;
  const info = new TextDecoder().decode(
    await askHost(host, placeOf(content, trace), "info", "", signal),
  );
  return `{${others},"info":${info}}`;
}

// A page with the trace in it; `pieces` are what it is made of besides.
async function makePage(
  host: EngineHost,
  pieces: () => Promise<PagePieces>,
  form: string,
  signal: AbortSignal,
): Promise<PageFile> {
  const made: ArrayBuffer[] = [];
  const others = await pieces();
  const answer = await host.reporting(form, others, (piece) => made.push(piece), signal);
  if (answer.status >= 400) throw new Refused(answer.status, reasonIn(answer));
  const { name } = fieldsOf(JSON.parse(new TextDecoder().decode(answer.body)), "report");
  return { name: String(name), blob: new Blob(made, { type: "text/html" }) };
}

interface EngineSource {
  readonly source: Source;
  readonly content: EngineContent;
}

// `makeExporter` makes workers with the large engine, which has every export format; null where the small engine has
// all that the page offers.
export function createEngineSource(
  makeWorker: () => EngineWorker,
  makeExporter: (() => EngineWorker) | null,
  can: Abilities,
  example: Example | null,
  pieces: () => Promise<PagePieces>,
): EngineSource {
  const host = createEngineHost(makeWorker, makeExporter, {
    lost: (reason) => content.lost(reason),
  });
  const content = createEngineContent(host, example);
  const exports = createEngineExports(host);
  return {
    content,
    source: {
      can,
      content: content.api,
      ask: async (trace, route, query, signal) => {
        if (route === "first") return answerOf(await firstOf(host, content, trace, signal));
        if (route === "exporting") {
          const told = exports.tell(numberOr(query, "id", 0));
          if (told === null) throw new Refused(404, "no export with this id is known any more");
          return answerOf(JSON.stringify(told));
        }
        return answerOf(
          await askHost(host, placeOf(content, trace), route, queryText(query), signal),
        );
      },
      saveSettings: (change) => Promise.resolve(keepSettings(change)),
      saveExport: (query, id, name) => exports.save(queryText(query), id, name),
      makePage: (form, signal) => makePage(host, pieces, queryText(form), signal),
      cancelExport: (id) => Promise.resolve(exports.cancel(id)),
      listen: (handlers) => {
        handlers.connected(true);
        return content.listen(handlers);
      },
    },
  };
}
