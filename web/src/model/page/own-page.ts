// What the trace of this page is called by questions of other pages, and where those are.

// Where this page is: a viewer's /TOKEN/ and /TOKEN/t/2/, or a site's ROOT/trace/ID/.
const OF_VIEWER = /^(\/[^/]+\/)(?:t\/(\d+)\/)?$/;
const OF_SITE = /^(.*\/trace\/)([^/]+)\/$/;

// What this page's trace is called by questions of another one; null where pages have no such addresses.
export function ownName({ pathname }: Pick<Location, "pathname">): string | null {
  const site = OF_SITE.exec(pathname);
  const viewer = OF_VIEWER.exec(pathname);
  return site === null && viewer === null ? null : (site?.[2] ?? viewer?.[2] ?? "1");
}

// Where the page of another trace of the same program or site is; null where pages have no such addresses.
export function pageOf({ pathname }: Pick<Location, "pathname">, other: string): string | null {
  const site = OF_SITE.exec(pathname);
  const viewer = OF_VIEWER.exec(pathname);
  if (other === "" || (site === null && viewer === null)) return null;
  if (site !== null) return `${site[1] ?? ""}${other}/`;
  return `${viewer?.[1] ?? "/"}${other === "1" ? "" : `t/${other}/`}`;
}
