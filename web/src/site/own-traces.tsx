// The traces that were uploaded with this browser, and uploads that did not come to their end.

import { signal, type Signal } from "@preact/signals";
import { createUploadApi } from "../api/uploads";
import { formatBytes } from "../base/format";
import { readKept, type Kept } from "../model/site/upload-history";
import type { Keeper } from "../state/page/site-storage";
import type { Queue } from "./queue";
import { Uploaded } from "./uploaded";

// How many of the newest traces are shown; the page asks the site whether they still exist.
const SHOWN = 8;

interface Own {
  readonly kept: Signal<Kept>;
  readonly keeper: Keeper;
  readonly base: string;
  update(): void;
}

export function createOwn(base: string, keeper: Keeper): Own {
  const kept = signal(keeper.read());
  return { kept, keeper, base, update: () => (kept.value = keeper.read()) };
}

function saveAsFile(kept: Kept): void {
  const tokens = kept.own.map(({ id, name, token, bytes, createdS }) => ({
    id,
    owner_token: token,
    name,
    bytes,
    created_s: createdS,
  }));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(
    new Blob([`${JSON.stringify({ own: tokens }, null, 2)}\n`], { type: "application/json" }),
  );
  link.download = "traceview-owner-tokens.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function loadFile({ keeper, update }: Own): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".json,application/json";
  input.addEventListener("change", () => {
    void input.files?.[0]?.text().then((text) => {
      keeper.addOwn(readKept(text).own);
      update();
    });
  });
  input.click();
}

// The ids of what the list of what is being sent shows.
function shownIn(queue: Queue | null): ReadonlySet<string> {
  const states = queue?.items.value.map((item) => item.state.value) ?? [];
  return new Set(states.flatMap((state) => (state.kind === "done" ? [state.trace.id] : [])));
}

export function OwnTraces({ own, queue }: { own: Own; queue: Queue | null }) {
  const { kept, keeper, base, update } = own;
  const elsewhere = shownIn(queue);
  const earlier = kept.value.own.filter(({ id }) => !elsewhere.has(id));
  const shown = earlier.slice(0, SHOWN);
  const more = earlier.length - shown.length;
  if (shown.length === 0 && kept.value.unfinished.length === 0) return null;
  const drop = (id: string): void => {
    keeper.removeOwn(id);
    update();
  };
  return (
    <section aria-label="Your earlier uploads">
      <OpenEnds own={own} />
      {shown.length === 0 ? null : (
        <>
          <h2>Your earlier uploads, as this browser knows them</h2>
          <ul class="own">
            {shown.map((trace) => (
              <Uploaded key={trace.id} base={base} {...trace} gone={() => drop(trace.id)} />
            ))}
          </ul>
        </>
      )}
      {shown.length === 0 ? null : (
        <p class="actions">
          {more === 0 ? null : <span class="quiet">and {more} more</span>}
          <button type="button" class="small-button" onClick={() => saveAsFile(kept.value)}>
            Save owner tokens
          </button>
          <button type="button" class="small-button" onClick={() => loadFile(own)}>
            Load owner tokens
          </button>
        </p>
      )}
    </section>
  );
}

function OpenEnds({ own }: { own: Own }) {
  const { kept, keeper, base, update } = own;
  const open = kept.value.unfinished;
  if (open.length === 0) return null;
  const giveUp = (id: string, token: string): void => {
    keeper.removeUnfinished(id);
    update();
    createUploadApi(base)
      .giveUp(id, token)
      .catch(() => undefined); // the site forgets it later
  };
  return (
    <>
      <h2>Not finished</h2>
      <ul class="own">
        {open.map(({ id, token, name, bytes }) => (
          <li key={id}>
            <span>
              <b>{name}</b>{" "}
              <span class="how-far">
                {formatBytes(bytes)}; choose the file again, and it goes on where it was
              </span>
            </span>
            <button
              type="button"
              class="small-button"
              aria-label={`Give up ${name}`}
              onClick={() => giveUp(id, token)}
            >
              Give up
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
