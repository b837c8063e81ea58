// The command palette: finds every command by a few of its letters, and methods and threads by name.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { formatRange } from "../base/format";
import { inWords } from "../model/words";
import { bestMatches } from "../model/page/palette";
import { typedRange } from "../model/timeline/typed-range";
import { threadLabel } from "../model/trace";
import type { App } from "../state/page/app";
import { createPaletteFinds, type PaletteFinds } from "../state/actions/palette-finds";
import { useApp } from "./shared/context";
import { showCalls } from "./shared/method-actions";
import { DialogFrame } from "./dialogs/dialog";
import { PaletteLine, type Choice } from "./palette-line";
import { commandsOf, runAction } from "./run-action";

function choicesOf(app: App, finds: PaletteFinds, query: string): readonly Choice[] {
  const isSampled = app.store.info.value?.sampled === true;
  const commands = commandsOf(app).map((command): Choice => {
    const label = inWords(command.label, isSampled);
    const run = (): void => void runAction(app, command.action);
    return { id: command.action, kind: "", label, key: command.keys[0] ?? "", run };
  });
  // Before anything is typed: first what no key does.
  const byKey = [
    ...commands.filter(({ key }) => key === ""),
    ...commands.filter(({ key }) => key !== ""),
  ];
  return [
    ...rangeChoice(app, query),
    ...bestMatches(byKey, query, (choice) => choice.label),
    ...finds.threads(query).map((thread): Choice => ({
      id: `thread-${thread.id}`,
      kind: "Thread",
      label: threadLabel(thread),
      key: "",
      run: () => app.reveal.thread(thread.id),
    })),
    ...finds.methods.value.map((method): Choice => ({
      id: `method-${method.rank}`,
      kind: "Method",
      label: method.method,
      key: "",
      method,
      run: () => app.reveal.method(method.rank),
      listCalls: () => showCalls(app, method.rank),
    })),
  ];
}

// The range that was typed.
function rangeChoice(app: App, query: string): Choice[] {
  const { store } = app;
  const range = typedRange(query, store.view.peek(), store.info.peek()?.span ?? 0);
  if (range === null) return [];
  return [
    {
      id: "range",
      kind: "",
      label: `Select ${formatRange(range.from, range.to)}`,
      key: "",
      run: () => {
        store.picked.value = range;
        app.views.reveal(range);
      },
    },
  ];
}

export function Palette() {
  const app = useApp();
  const query = useSignal("");
  const place = useSignal(0);
  const finds = useMemo(() => createPaletteFinds(app.store), []);
  useEffect(() => finds.end, []);
  const found = choicesOf(app, finds, query.value);
  const at = Math.min(place.value, found.length - 1);

  const run = (ix: number, isList = false): void => {
    const choice = found[ix];
    app.store.dialog.value = null;
    const act = isList ? (choice?.listCalls ?? choice?.run) : choice?.run;
    if (act !== undefined) self.setTimeout(act, 0);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") place.value = Math.min(found.length - 1, at + 1);
    else if (event.key === "ArrowUp") place.value = Math.max(0, at - 1);
    else if (event.key === "Enter") run(at, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <DialogFrame title="Commands">
      <input
        class="dialog-search"
        type="text"
        autofocus
        spellcheck={false}
        placeholder="A command, a method, a thread, a range as 600 +50 ms"
        aria-label="Command"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found[at] === undefined ? undefined : `command-${found[at]?.id}`}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          place.value = 0;
          finds.ask(query.value);
        }}
        onKeyDown={onKey}
      />
      <ul class="commands" id="commands" role="listbox" aria-label="Commands">
        {found.map((choice, ix) => (
          <PaletteLine key={choice.id} choice={choice} isAt={ix === at} run={() => run(ix)} />
        ))}
        {found.length === 0 ? (
          <li class="muted" role="option" aria-selected="false">
            No such command.
          </li>
        ) : null}
      </ul>
    </DialogFrame>
  );
}
