// Keeps the settings that the user changes, for the next page and beside other pages.

import { effect } from "@preact/signals";
import { readSettings, writeSettings } from "../../model/page/settings";
import { settingsChange, withSettingsChange } from "../../model/page/settings-change";
import type { Store } from "../store";
import { createKeeper } from "./site-storage";

const SAVE_MS = 400;

// A site keeps no settings of its readers; their browsers do.
function saveSettings(store: Store, change: ReturnType<typeof settingsChange>): void {
  const site = store.site.peek();
  if (site !== null) createKeeper(site.base).saveSettings(change);
  else store.api.saveSettings(change).catch(store.report);
}

// Keeps what the user changes, and takes over what is changed in other pages of the same address meanwhile: each would
// write its own former settings over it otherwise.
export function keepSettings(store: Store): () => void {
  const others = new BroadcastChannel(`traceview:${store.site.peek()?.base ?? ""}:settings`);
  let known = writeSettings(store.settings.peek());
  let timer = 0;
  const save = (): void => {
    self.clearTimeout(timer);
    const now = writeSettings(store.settings.peek());
    const change = settingsChange(known, now);
    if (Object.keys(change).length === 0) return;
    known = now;
    saveSettings(store, change);
    others.postMessage(change);
  };
  others.onmessage = ({ data: change }) => {
    known = withSettingsChange(known, change);
    const own = writeSettings(store.settings.peek());
    store.settings.value = readSettings(withSettingsChange(own, change));
  };
  const end = effect(() => {
    void store.settings.value;
    self.clearTimeout(timer);
    timer = self.setTimeout(save, SAVE_MS);
  });
  return () => {
    end();
    save();
    others.close();
  };
}
