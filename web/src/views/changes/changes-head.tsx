// Both sides of a comparison: their files, calls and times, what holds for all methods together, and how to look at it.

import { formatCount, formatDuration } from "../../base/format";
import {
  basedText,
  sideText,
  signedTime,
  summaryText,
  type Changes,
  type ChangesSide,
} from "../../model/changes/changes";
import { goToPage } from "../../state/page/other-page";
import { swappedAddress } from "../../state/page/compared";
import { useApp } from "../shared/context";
import { tone } from "./change-colour";
import { TimeChoice } from "./time-choice";

export function ChangesHead({ changes }: { changes: Changes }) {
  const { store } = useApp();
  const clock = changes.clock === "cpu" ? "CPU" : "wall";
  const change = changes.new.total - changes.old.total;
  const swapped = swappedAddress(location, store.against.value ?? "");
  return (
    <div class="changes-head">
      <dl>
        <Side word="Old" side={changes.old} clock={clock} />
        <Side word="New" side={changes.new} clock={clock} />
      </dl>
      <p>
        All threads together:{" "}
        <b class={tone(change)}>
          {signedTime(change)}
          {changes.old.total > 0 ? ` (${basedText(changes.new.total, changes.old.total)})` : ""}
        </b>{" "}
        of {clock} time. {summaryText(changes)}
      </p>
      <div class="changes-tools">
        <TimeChoice />
        {swapped === null ? null : (
          <button class="link" onClick={() => goToPage(swapped)}>
            Swap the sides
          </button>
        )}
      </div>
    </div>
  );
}

function Side({ word, side, clock }: { word: string; side: ChangesSide; clock: string }) {
  return (
    <div>
      <dt>{word}</dt>
      <dd>
        <span class="clip" title={sideText(side)}>
          {sideText(side)}
        </span>
        <span class="muted">
          {formatCount(side.calls)} calls, {formatDuration(side.total)} of {clock} time
        </span>
      </dd>
    </div>
  );
}
