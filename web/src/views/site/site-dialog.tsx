// What a site knows of the trace; and for its owner, changing and deleting it.

import { useSignal } from "@preact/signals";
import { createSiteApi } from "../../api/site";
import { formatBytes } from "../../base/format";
import { lifeText, nameOf, type Site, type SiteTrace } from "../../model/site/site";
import { createKeeper } from "../../state/page/site-storage";
import { messageOf } from "../../state/loader";
import { DialogFrame } from "../dialogs/dialog";
import { useApp } from "../shared/context";
import { SiteOwner } from "./site-owner";

export function SiteDialog() {
  const { store } = useApp();
  const site = store.site.value;
  if (site === null) return null;
  return (
    <DialogFrame title={nameOf(site.trace)}>
      <div class="site-dialog">
        <Facts trace={site.trace} />
        <Download site={site} />
        <Owner site={site} />
      </div>
    </DialogFrame>
  );
}

function timeText(seconds: number): string {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  return format.format(new Date(seconds * 1000));
}

function Facts({ trace }: { trace: SiteTrace }) {
  const life = lifeText(trace.expiresS, Date.now() / 1000);
  const rows: readonly (readonly [string, string])[] = [
    ["File", `${trace.file}, ${formatBytes(trace.bytes)}`],
    ["Uploaded", timeText(trace.createdS)],
    ["Life", trace.expiresS === null ? life : `${life}, on ${timeText(trace.expiresS)}`],
    ...trace.labels,
  ];
  return (
    <>
      {trace.note === "" ? null : <p class="note">{trace.note}</p>}
      <dl class="facts-list">
        {rows.map(([name, text]) => (
          <div key={name}>
            <dt class="muted">{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  self.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The file goes to everybody where the owner said so, and to the owner always.
function Download({ site }: { site: Site }) {
  const { store } = useApp();
  const { trace, base } = site;
  const token = createKeeper(base).tokenOf(trace.id);
  if (trace.isShared)
    return (
      <p>
        <a class="button" href="raw" download={trace.file}>
          Download the file
        </a>
      </p>
    );
  if (token === "") return <p class="muted">Its owner does not give out the file itself.</p>;
  const fetchIt = (): void => {
    createSiteApi(base)
      .fetchFile(trace.id, token)
      .then((file) => save(file, trace.file), store.report);
  };
  return (
    <p>
      <button class="button" onClick={fetchIt}>
        Download the file
      </button>{" "}
      <span class="muted">Only you can: it is not shared.</span>
    </p>
  );
}

// Whoever has the owner token is the owner. The browser that uploaded the trace has it.
function Owner({ site }: { site: Site }) {
  const { store } = useApp();
  const keeper = createKeeper(site.base);
  const token = useSignal(keeper.tokenOf(site.trace.id));
  const problem = useSignal("");
  if (token.value !== "") return <SiteOwner site={site} token={token.value} />;
  const submit = (event: Event): void => {
    event.preventDefault();
    const input = document.getElementById("owner-token");
    const typed = input instanceof HTMLInputElement ? input.value.trim() : "";
    createSiteApi(site.base)
      .look(site.trace.id, typed)
      .then(
        (trace) => {
          problem.value = trace.isOwner ? "" : "This is not the owner token of this trace.";
          if (!trace.isOwner) return;
          const { id, bytes, createdS } = trace;
          keeper.addOwn([{ id, name: nameOf(trace), token: typed, bytes, createdS }]);
          store.site.value = { ...site, trace };
          token.value = typed;
        },
        (reason: unknown) => (problem.value = messageOf(reason)),
      );
  };
  return (
    <form class="owner-token" onSubmit={submit}>
      <label class="field">
        <span>To change or delete it: the owner token</span>
        <input id="owner-token" type="text" autocomplete="off" spellcheck={false} required />
      </label>
      <button class="button">Go on</button>
      <p class="bad" role="alert">
        {problem.value}
      </p>
    </form>
  );
}
