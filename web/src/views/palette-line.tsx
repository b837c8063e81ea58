// A line of the command palette.

import type { Method } from "../model/trace";
import { callWords } from "../model/words";
import { useApp } from "./shared/context";
import { MethodName } from "./shared/method-name";

export interface Choice {
  readonly id: string;
  readonly kind: "" | "Method" | "Thread";
  readonly label: string;
  readonly key: string;
  readonly method?: Method;
  run(): void;
  // What Shift+Enter does in place of it.
  listCalls?(): void;
}

export function PaletteLine({
  choice,
  isAt,
  run,
}: {
  choice: Choice;
  isAt: boolean;
  run: () => void;
}) {
  const words = callWords(useApp().store.info.value?.sampled === true);
  return (
    <li
      id={`command-${choice.id}`}
      role="option"
      aria-selected={isAt}
      ref={(element) => {
        if (isAt) element?.scrollIntoView({ block: "nearest" });
      }}
      onClick={run}
    >
      {choice.kind === "" ? null : <span class="search-kind">{choice.kind}</span>}
      {choice.method === undefined ? (
        <span class="clip">{choice.label}</span>
      ) : (
        <MethodName method={choice.method} />
      )}
      {isAt && choice.listCalls !== undefined ? (
        <span class="muted">
          its {words.many} <kbd>Shift+Enter</kbd>
        </span>
      ) : null}
      {choice.key === "" ? null : <kbd>{choice.key}</kbd>}
    </li>
  );
}
