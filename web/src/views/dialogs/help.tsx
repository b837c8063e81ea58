// The help: keys and gestures, from the key table.

import { useSignal } from "@preact/signals";
import { inWords } from "../../model/words";
import { GESTURES, KEY_TABLE, type KeyGroup } from "../../model/page/keys";
import { useApp } from "../shared/context";
import { hasAction } from "../shared/has-action";
import { DialogFrame } from "./dialog";

const GROUP_ORDER: readonly KeyGroup[] = ["Move", "Calls", "Find", "Panels", "View", "Share"];

export function Help() {
  const filter = useSignal("");
  const wanted = filter.value.toLowerCase();
  const app = useApp();
  const isSampled = app.store.info.value?.sampled === true;
  const say = (text: string): string => inWords(text, isSampled);
  const fits = (...texts: string[]): boolean =>
    texts.some((text) => text.toLowerCase().includes(wanted));
  const gestures = GESTURES.filter(([gesture, effect]) => fits(gesture, say(effect)));
  return (
    <DialogFrame title="Keys and gestures" isWide>
      <input
        class="dialog-search"
        type="text"
        autofocus
        placeholder="Search keys"
        aria-label="Search keys"
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
      />
      <div class="help">
        {GROUP_ORDER.map((group) => {
          const rows = KEY_TABLE.filter(
            (key) =>
              key.group === group &&
              hasAction(app, key.action) &&
              fits(say(key.label), ...key.keys),
          );
          return rows.length === 0 ? null : (
            <section key={group}>
              <h3>{say(group)}</h3>
              {rows.map((row) => (
                <div class="help-row" key={row.action}>
                  <span>{say(row.label)}</span>
                  <span>
                    {row.keys.length === 0 ? (
                      <span class="muted">
                        <kbd>Ctrl+K</kbd> and its name
                      </span>
                    ) : (
                      row.keys.map((key) => <kbd key={key}>{key}</kbd>)
                    )}
                  </span>
                </div>
              ))}
            </section>
          );
        })}
        {gestures.length === 0 ? null : (
          <section>
            <h3>Mouse and touch in the timeline</h3>
            {gestures.map(([gesture, effect]) => (
              <div class="help-row" key={gesture}>
                <span>{say(effect)}</span>
                <span class="muted">{gesture}</span>
              </div>
            ))}
          </section>
        )}
      </div>
    </DialogFrame>
  );
}
