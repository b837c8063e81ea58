// The source behind which the program stands, or a site: it is asked by addresses. Every address is relative, since the
// page lives below a path of its own.

import { withSettingsChange } from "../model/page/settings-change";
import { fieldsOf, type Fields } from "./check";
import { createContentApi } from "./content";
import { listen } from "./events";
import { askForPage } from "./single-file";
import { createRecordingApi } from "./recording";
import { createTurns, Refused, request } from "./request";
import { queryText, type Query, type Source } from "./source";

function addressOf(route: string, query: Query): string {
  const text = queryText(query);
  return text === "" ? `api/${route}` : `api/${route}?${text}`;
}

// A trace that nobody has looked at for long may be closed, and a question opens it again. Until it is open, the
// program answers that it loads; so does a site that brings the trace from an object store. The question is repeated
// until then, at growing intervals.
const AGAIN_MS = 100;
const AGAIN_MOST_MS = 1600;

function isOpening(problem: unknown): boolean {
  return problem instanceof Refused && problem.status === 503 && problem.message === "loading";
}

async function askUntilOpen(address: string, signal: AbortSignal): Promise<Response> {
  for (let pauseMs = AGAIN_MS; ; pauseMs = Math.min(2 * pauseMs, AGAIN_MOST_MS)) {
    try {
      return await request(address, { signal });
    } catch (problem) {
      if (!isOpening(problem)) throw problem;
    }
    await new Promise((resolve) => self.setTimeout(resolve, pauseMs));
  }
}

// Has the browser fetch an address into a file, so that the file goes to disk as it comes.
function save(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

// Other pages may have written settings, too, so each change begins with what is kept.
async function changeSettings(change: Fields): Promise<void> {
  const kept = fieldsOf(await (await request("api/settings", {})).json(), "settings");
  await request("api/settings", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(withSettingsChange(kept, change)),
  });
}

export function createServerSource(): Source {
  const inTurn = createTurns();
  return {
    can: { open: true, watch: true, command: true, reach: null, shared: null, record: true },
    content: createContentApi(),
    recording: createRecordingApi(),
    // The name of another trace is the address of the page that shows it.
    ask: (trace, route, query, signal) => askUntilOpen(trace + addressOf(route, query), signal),
    saveSettings: (change) => inTurn(() => changeSettings(change)),
    saveExport: (query, id) => save(addressOf("export", { ...query, id })),
    cancelExport: async (id) => {
      await request(addressOf("exporting", { id }), { method: "PUT" });
    },
    makePage: (form, signal) => askForPage(queryText(form), signal),
    listen,
  };
}
