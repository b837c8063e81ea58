// Whether methods are compared by inclusive or by exclusive time.

import type { ChangesBy } from "../../state/panels/changes";
import { useApp } from "../shared/context";
import { Segments } from "../shared/segments";

export function TimeChoice() {
  const { by } = useApp().panels.changes;
  return (
    <Segments<ChangesBy>
      label="Which time"
      value={by.value}
      options={[
        { value: "inclusive", label: "Inclusive" },
        { value: "exclusive", label: "Exclusive" },
      ]}
      onChoice={(choice) => (by.value = choice)}
    />
  );
}
