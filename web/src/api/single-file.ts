// The trace as one page, which the program makes (docs/api.md, "Saving as one page").

import type { PageFile } from "../model/page/single-file";
import { request } from "./request";

function nameIn(disposition: string | null): string {
  const escaped = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? "")?.[1];
  try {
    return decodeURIComponent(escaped ?? "trace.html");
  } catch {
    return "trace.html";
  }
}

export async function askForPage(form: string, signal: AbortSignal): Promise<PageFile> {
  const response = await request("api/report", {
    method: "PUT",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: form,
    signal,
  });
  const name = nameIn(response.headers.get("content-disposition"));
  return { name, blob: await response.blob() };
}
