// The transforms in force, as chips that can be removed.

import { opText as keyOf } from "../../model/ops";
import { useApp } from "../shared/context";
import { opText } from "./transforms";

export function OpChips() {
  const app = useApp();
  const { ops, names } = app.store;
  void names.version.value;
  return (
    <>
      {ops.value.map((op) => (
        <button
          key={keyOf(op)}
          class="chip"
          title="Remove this transform"
          onClick={() => (ops.value = ops.peek().filter((other) => keyOf(other) !== keyOf(op)))}
        >
          <span class="clip">{opText(app, op)}</span> <i class="cross" />
        </button>
      ))}
    </>
  );
}
