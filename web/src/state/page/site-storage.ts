// Keeps what a site's pages keep, in the browser's storage. A browser may have none, or a full one: then pages work
// without what they would have kept.

import {
  readKept,
  withOwn,
  withoutOwn,
  withoutUnfinished,
  withUnfinished,
  writeKept,
  type Kept,
  type OwnTrace,
  type Unfinished,
} from "../../model/site/upload-history";
import { withSettingsChange } from "../../model/page/settings-change";

export interface Keeper {
  read(): Kept;
  tokenOf(id: string): string;
  addOwn(more: readonly OwnTrace[]): void;
  removeOwn(id: string): void;
  addUnfinished(one: Unfinished): void;
  removeUnfinished(id: string): void;
  settings(): Readonly<Record<string, unknown>>;
  saveSettings(change: Readonly<Record<string, unknown>>): void;
  forget(): void;
}

export function createKeeper(base: string): Keeper {
  const uploads = `traceview:${base}:uploads`;
  const settings = `traceview:${base}:settings`;
  const get = (key: string): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const set = (key: string, text: string): void => {
    try {
      localStorage.setItem(key, text);
    } catch {
      // Said above: without it.
    }
  };
  // Another page of this site may have written meanwhile, so each change begins with what is there.
  const change = (how: (kept: Kept) => Kept): void =>
    set(uploads, writeKept(how(readKept(get(uploads)))));
  const read = (): Kept => readKept(get(uploads));
  const keptSettings = (): Readonly<Record<string, unknown>> => {
    try {
      return Object.fromEntries(Object.entries(JSON.parse(get(settings) ?? "{}")));
    } catch {
      return {};
    }
  };
  return {
    read,
    tokenOf: (id) => read().own.find((one) => one.id === id)?.token ?? "",
    addOwn: (more) => change((kept) => withOwn(kept, more)),
    removeOwn: (id) => change((kept) => withoutOwn(kept, id)),
    addUnfinished: (one) => change((kept) => withUnfinished(kept, one)),
    removeUnfinished: (id) => change((kept) => withoutUnfinished(kept, id)),
    settings: keptSettings,
    saveSettings: (made) => set(settings, JSON.stringify(withSettingsChange(keptSettings(), made))),
    forget: () => {
      try {
        localStorage.removeItem(uploads);
        localStorage.removeItem(settings);
      } catch {
        // There is nothing to forget.
      }
    },
  };
}
