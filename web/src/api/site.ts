// What a site answers about one of its traces, and its owner's requests.

import { visibleText } from "../base/text";
import type { Site, SiteTrace, TraceFields, TraceState } from "../model/site/site";
import { fieldsOf, flagOr, nameOr, numberOr, textOf, textOr, type Fields } from "./check";
import { Refused, request } from "./request";

const STATES: readonly TraceState[] = ["queued", "processing", "ready", "failed"];

// A note has lines.
function noteOf(fields: Fields): string {
  return textOr(fields, "note", "").split(/\r?\n/).map(visibleText).join("\n");
}

function decodeSiteTrace(value: unknown): SiteTrace {
  const fields = fieldsOf(value, "trace");
  const expires = fields["expires_s"];
  return {
    id: textOf(fields, "id"),
    file: nameOr(fields, "file", ""),
    title: nameOr(fields, "title", ""),
    note: noteOf(fields),
    labels: Object.entries(fieldsOf(fields["labels"] ?? {}, "labels")).map(([key, text]) => [
      visibleText(key),
      visibleText(String(text)),
    ]),
    bytes: numberOr(fields, "bytes", 0),
    createdS: numberOr(fields, "created_s", 0),
    expiresS: typeof expires === "number" ? expires : null,
    state: STATES.find((state) => state === fields["state"]) ?? "ready",
    reason: visibleText(textOr(fields, "reason", "")),
    isShared: flagOr(fields, "raw_shared", false),
    isListed: flagOr(fields, "listed", false),
    isOwner: flagOr(fields, "owner", false),
  };
}

// null: the page is no site's but the local viewer's.
export function decodeSite(value: unknown): Site | null {
  if (value === undefined || value === null) return null;
  const fields = fieldsOf(value, "site");
  return {
    base: textOr(fields, "base", ""),
    hasList: flagOr(fields, "has_list", false),
    trace: decodeSiteTrace(value),
  };
}

// An answer to an upload has the owner token besides.
export interface Uploaded {
  readonly trace: SiteTrace;
  readonly token: string;
}

export function decodeUploaded(value: unknown): Uploaded {
  return {
    trace: decodeSiteTrace(value),
    token: textOr(fieldsOf(value, "trace"), "owner_token", ""),
  };
}

const headersOf = (token: string): Record<string, string> =>
  token === "" ? {} : { authorization: `Bearer ${token}` };

interface SiteApi {
  look(id: string, token: string): Promise<SiteTrace>;
  change(id: string, token: string, fields: TraceFields): Promise<SiteTrace>;
  remove(id: string, token: string): Promise<void>;
  // The file as it was uploaded.
  fetchFile(id: string, token: string): Promise<Blob>;
}

export function createSiteApi(base: string): SiteApi {
  const addressOf = (id: string): string => `${base}/api/v1/traces/${id}`;
  return {
    look: async (id, token) =>
      decodeSiteTrace(await (await request(addressOf(id), { headers: headersOf(token) })).json()),
    change: async (id, token, fields) => {
      const response = await request(addressOf(id), {
        method: "PATCH",
        headers: headersOf(token),
        body: new URLSearchParams(fields),
      });
      return decodeSiteTrace(await response.json());
    },
    remove: async (id, token) => {
      await request(addressOf(id), { method: "DELETE", headers: headersOf(token) });
    },
    fetchFile: async (id, token) =>
      (await request(`${addressOf(id)}/raw`, { headers: headersOf(token) })).blob(),
  };
}

// Whether the site said that there is no such trace, or no longer.
export function isGone(problem: unknown): boolean {
  return problem instanceof Refused && (problem.status === 404 || problem.status === 410);
}
