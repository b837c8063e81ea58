// The rows of a dialog that is a form.

import type { ComponentChildren } from "preact";

export function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}

export function Check({
  label,
  isOn,
  isDisabled,
  onCheck,
}: {
  label: string;
  isOn: boolean;
  isDisabled?: boolean;
  onCheck: (isOn: boolean) => void;
}) {
  return (
    <label class="field inline">
      <input
        type="checkbox"
        checked={isOn}
        disabled={isDisabled === true}
        onChange={(event) => onCheck(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  onChoice(value: T): void;
}

export function Choice<T extends string>({ label, value, options, onChoice }: ChoiceProps<T>) {
  return (
    <Field label={label}>
      <select
        value={value}
        onChange={(event) => {
          const chosen = options.find(([id]) => id === event.currentTarget.value);
          if (chosen !== undefined) onChoice(chosen[0]);
        }}
      >
        {options.map(([id, text]) => (
          <option key={id} value={id} selected={id === value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}
