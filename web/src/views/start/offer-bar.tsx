// Asks whether a trace that another window hands over shall be opened.

import { formatBytes } from "../../base/format";
import { isolated } from "../../base/text";
import { useProgram } from "../shared/context";

export function OfferBar() {
  const { offer } = useProgram();
  const one = offer.value;
  if (one === null) return null;
  const decide = (isWanted: boolean): void => {
    offer.value = null;
    if (isWanted) one.accept();
  };
  return (
    <section class="offer" role="alertdialog" aria-label="A trace from another page">
      <span>
        <b>{one.origin}</b> hands over a trace: {isolated(one.name)}, {formatBytes(one.bytes)}.
      </span>
      <button class="button primary" onClick={() => decide(true)}>
        Open it
      </button>
      <button class="button" onClick={() => decide(false)}>
        Leave it
      </button>
    </section>
  );
}
