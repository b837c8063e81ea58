// The addresses of two traces that are compared: each shows what changed since the other.

import type { Store } from "../store";
import { readUrl, writeUrl } from "../../model/page/url-state";

// Whether another trace can be opened and compared with the one that is shown: a program stands behind the page.
export function canCompare(store: Store): boolean {
  const { open, reach } = store.can.value;
  return open && reach === null && store.phase.value.kind === "ready";
}

// Where this page is: a viewer's /TOKEN/ and /TOKEN/t/2/, or a site's ROOT/trace/ID/.
const OF_VIEWER = /^(\/[^/]+\/)(?:t\/(\d+)\/)?$/;
const OF_SITE = /^(.*\/trace\/)([^/]+)\/$/;

// What this page's trace is called by questions of another one; null where pages have no such addresses.
function ownName({ pathname }: Pick<Location, "pathname">): string | null {
  const site = OF_SITE.exec(pathname);
  const viewer = OF_VIEWER.exec(pathname);
  return site === null && viewer === null ? null : (site?.[2] ?? viewer?.[2] ?? "1");
}

// The page at an address of the same program, compared with the trace that this one shows.
export function besideAddress(address: string, location: Pick<Location, "pathname">): string {
  const own = ownName(location);
  if (own === null) return address;
  return `${address.replace(/#.*/, "")}#${writeUrl({ ...readUrl(""), tab: "changes", against: own })}`;
}

// Where the page of another trace of the same program or site is; null where pages have no such addresses.
export function pageOf({ pathname }: Pick<Location, "pathname">, other: string): string | null {
  const site = OF_SITE.exec(pathname);
  const viewer = OF_VIEWER.exec(pathname);
  if (other === "" || (site === null && viewer === null)) return null;
  if (site !== null) return `${site[1] ?? ""}${other}/`;
  return `${viewer?.[1] ?? "/"}${other === "1" ? "" : `t/${other}/`}`;
}

// The page of the other trace, compared with this one; null where pages have no such addresses.
export function swappedAddress(
  { pathname, hash }: Pick<Location, "pathname" | "hash">,
  against: string,
): string | null {
  const own = ownName({ pathname });
  const page = pageOf({ pathname }, against);
  if (page === null || own === null) return null;
  const { tab } = readUrl(hash);
  return `${page}#${writeUrl({ ...readUrl(""), tab, against: own })}`;
}
