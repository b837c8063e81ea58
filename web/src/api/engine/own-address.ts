// The addresses of traces in the page's own one, "?url=NEW&against=OLD": each may stand there several times, for several runs.

import { visibleText } from "../../base/text";
import { addressWish, type Wish } from "./trace-files";

// The traces whose addresses are this parameter's.
export function addressed(parameter: "url" | "against"): Wish[] {
  return new URLSearchParams(location.search)
    .getAll(parameter)
    .filter((address) => address !== "")
    .map((address) => addressWish(nameIn(address), address));
}

// The last part of an address, or all of one that has none, or is none.
function nameIn(address: string): string {
  try {
    const { pathname } = new URL(address, location.href);
    const name = decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1));
    return visibleText(name === "" ? address : name);
  } catch {
    return visibleText(address);
  }
}

// The address names the trace that it was opened with no longer.
export function leaveAddress(): void {
  if (location.search !== "") history.replaceState(null, "", location.pathname + location.hash);
}

// The address names all traces the other way round.
export function turnAddress(): void {
  const names = new URLSearchParams(location.search);
  const [opened, old] = [names.getAll("url"), names.getAll("against")];
  if (opened.length === 0 || old.length === 0) return;
  names.delete("url");
  names.delete("against");
  for (const one of old) names.append("url", one);
  for (const one of opened) names.append("against", one);
  history.replaceState(null, "", `${location.pathname}?${names.toString()}${location.hash}`);
}
