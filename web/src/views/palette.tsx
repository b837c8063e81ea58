// The command palette: finds every command by a few of its letters.

import { useSignal } from "@preact/signals";
import { inWords } from "../model/words";
import { bestMatches } from "../model/page/palette";
import { useApp } from "./shared/context";
import { DialogFrame } from "./dialogs/dialog";
import { commandsOf, runAction } from "./run-action";

export function Palette() {
  const app = useApp();
  const query = useSignal("");
  const place = useSignal(0);
  const isSampled = app.store.info.value?.sampled === true;
  const commands = commandsOf(app);
  const labelOf = (command: (typeof commands)[number]): string => inWords(command.label, isSampled);
  const found = bestMatches(commands, query.value, labelOf);
  const at = Math.min(place.value, found.length - 1);

  const run = (ix: number): void => {
    const command = found[ix];
    app.store.dialog.value = null;
    if (command !== undefined) self.setTimeout(() => runAction(app, command.action), 0);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") place.value = Math.min(found.length - 1, at + 1);
    else if (event.key === "ArrowUp") place.value = Math.max(0, at - 1);
    else if (event.key === "Enter") run(at);
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
        placeholder="Type a command"
        aria-label="Command"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found[at] === undefined ? undefined : `command-${found[at]?.action}`}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          place.value = 0;
        }}
        onKeyDown={onKey}
      />
      <ul class="commands" id="commands" role="listbox" aria-label="Commands">
        {found.map((command, ix) => (
          <li
            key={command.action}
            id={`command-${command.action}`}
            role="option"
            aria-selected={ix === at}
            ref={(element) => {
              if (ix === at) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => run(ix)}
          >
            <span>{labelOf(command)}</span>
            {command.keys.slice(0, 1).map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </li>
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
