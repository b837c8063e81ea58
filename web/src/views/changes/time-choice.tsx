// Whether methods are compared by inclusive or by exclusive time.

import { useApp } from "../shared/context";

export function TimeChoice() {
  const { by } = useApp().panels.changes;
  return (
    <div class="segments" role="radiogroup" aria-label="Which time">
      {(["inclusive", "exclusive"] as const).map((word) => (
        <button
          key={word}
          role="radio"
          aria-checked={by.value === word}
          class={by.value === word ? "on" : ""}
          onClick={() => (by.value = word)}
        >
          {word === "inclusive" ? "Inclusive" : "Exclusive"}
        </button>
      ))}
    </div>
  );
}
