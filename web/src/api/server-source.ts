// The source behind which the program stands, or a site: it is asked by addresses. Every address is relative, since the
// page lives below a path of its own.

import { createContentApi } from "./content";
import { listen } from "./events";
import { askForPage } from "./page-file";
import { createRecordingApi } from "./recording";
import { request } from "./request";
import { queryText, type Query, type Source } from "./source";

function addressOf(route: string, query: Query): string {
  const text = queryText(query);
  return text === "" ? `api/${route}` : `api/${route}?${text}`;
}

// Has the browser fetch an address into a file, so that the file goes to disk as it comes.
function save(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

export function createServerSource(): Source {
  return {
    can: { open: true, watch: true, command: true, reach: null, shared: null, record: true },
    content: createContentApi(),
    recording: createRecordingApi(),
    // The name of another trace is the way from this page to the page that shows it ("../3/").
    ask: (trace, route, query, signal) => request(trace + addressOf(route, query), { signal }),
    saveSettings: async (settings) => {
      await request("api/settings", {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(settings),
      });
    },
    saveExport: (query, id) => save(addressOf("export", { ...query, id })),
    cancelExport: async (id) => {
      await request(addressOf("exporting", { id }), { method: "PUT" });
    },
    makePage: (form, signal) => askForPage(queryText(form), signal),
    listen,
  };
}
