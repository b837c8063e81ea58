// The addresses of two traces that are compared: each shows what changed since the other.

import { readUrl, writeUrl } from "../../model/page/url-state";

// Where this page is: a viewer's /TOKEN/ and /TOKEN/t/2/, or a site's ROOT/trace/ID/.
const OF_VIEWER = /^(\/[^/]+\/)(?:t\/(\d+)\/)?$/;
const OF_SITE = /^(.*\/trace\/)([^/]+)\/$/;

// The page of the other trace, compared with this one; null where pages have no such addresses.
export function swappedAddress(
  { pathname, hash }: Pick<Location, "pathname" | "hash">,
  against: string,
): string | null {
  const site = OF_SITE.exec(pathname);
  const viewer = OF_VIEWER.exec(pathname);
  const own = site?.[2] ?? viewer?.[2] ?? "1";
  if (against === "" || (site === null && viewer === null)) return null;
  const { tab } = readUrl(hash);
  const link = writeUrl({ ...readUrl(""), tab, against: own });
  if (site !== null) return `${site[1] ?? ""}${against}/#${link}`;
  return `${viewer?.[1] ?? "/"}${against === "1" ? "" : `t/${against}/`}#${link}`;
}
