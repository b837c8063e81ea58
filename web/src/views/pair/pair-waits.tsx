// Where each of two calls waited, and for whom: the methods whose own code waited, and what ran meanwhile. What a recorder
// told of a lock's owner stands in the name of the method.

import { formatDuration } from "../../base/format";
import { waitHeading, waitRests, type Detail } from "../../model/detail/detail";
import { nameApart } from "../../model/names";
import type { PairSide } from "../../model/pair/pair-tree";
import type { SideTold } from "../../state/panels/pair";
import { useApp } from "../shared/context";

export function PairWaits() {
  const { panels } = useApp();
  const told = panels.pair.told.value;
  if (told === null || told.this.detail.inclusive.wait === undefined) return null;
  return (
    <section class="pair-waits" aria-label="Where both waited">
      <dl>
        <Side side="this" told={told.this} />
        <Side side="other" told={told.other} />
      </dl>
    </section>
  );
}

function Side({ side, told: { detail, meanwhile } }: { side: PairSide; told: SideTold }) {
  const rests = waitRests(detail);
  return (
    <div>
      <dt>{side === "this" ? "This" : "Other"}</dt>
      <dd>
        {waitHeading(detail)}
        {detail.waits.length + rests.length > 0 ? ": " : "."}
        <Waits detail={detail} rests={rests} />
        {meanwhile === "" ? null : <span class="muted pair-meanwhile">{meanwhile}</span>}
      </dd>
    </div>
  );
}

function Waits({ detail, rests }: { detail: Detail; rests: readonly string[] }) {
  const { select } = useApp();
  return (
    <>
      {detail.waits.map(({ method, wait, longest }) => (
        <span key={method.rank} class="pair-wait">
          <button
            class="link"
            disabled={longest === null}
            title={`${method.method}: shows the call that waited longest in the timeline`}
            onClick={() => {
              if (longest !== null) select.call(longest, "reveal");
            }}
          >
            {nameApart(method)}
          </button>{" "}
          {formatDuration(wait)}
        </span>
      ))}
      {rests.map((rest) => (
        <span key={rest} class="pair-wait">
          {rest}
        </span>
      ))}
    </>
  );
}
