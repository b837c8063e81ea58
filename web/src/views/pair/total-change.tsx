// How much more or less time the newer side took in all: "+38 ms (+96.7 % of 10.1 ms) of wall time."

import { changeText, type Changes } from "../../model/changes/changes";
import { MEASURE_WORDS } from "../../model/words";
import { changeTone } from "../shared/change-tone";

export function TotalChange({ changes }: { changes: Changes }) {
  const { old, new: now, clock } = changes;
  const change = now.total - old.total;
  return (
    <>
      <b class={changeTone(change)}>{changeText(now.total, old.total)}</b> of{" "}
      {MEASURE_WORDS[clock].word}.
    </>
  );
}
