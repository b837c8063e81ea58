// A choice of one of a few, as radio buttons side by side: one stop for Tab, and the arrows choose, as of a browser's own.

import type { ComponentChildren } from "preact";

interface Segment<T> {
  readonly value: T;
  readonly label: ComponentChildren;
  readonly title?: string;
  readonly isOff?: boolean;
}

interface Props<T> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly Segment<T>[];
  onChoice(value: T): void;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

export function Segments<T>({ label, value, options, onChoice }: Props<T>) {
  const usable = options.filter((option) => option.isOff !== true);
  // Where what is chosen cannot be, Tab leads to the first that can.
  const stop = usable.find((option) => option.value === value) ?? usable[0];
  const onKey = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const step = STEPS[event.key];
    if (step === undefined || stop === undefined || event.ctrlKey || event.metaKey) return;
    const at = usable.indexOf(stop);
    const next = usable[(at + step + usable.length) % usable.length];
    event.preventDefault();
    event.stopPropagation();
    if (next === undefined) return;
    const buttons = event.currentTarget.querySelectorAll<HTMLElement>("[role=radio]");
    buttons[options.indexOf(next)]?.focus();
    onChoice(next.value);
  };
  return (
    <div class="segments" role="radiogroup" aria-label={label} onKeyDown={onKey}>
      {options.map((option) => (
        <button
          key={String(option.value)}
          role="radio"
          aria-checked={option.value === value}
          class={option.value === value ? "on" : ""}
          disabled={option.isOff === true}
          title={option.title}
          tabIndex={option === stop ? 0 : -1}
          onClick={() => onChoice(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
