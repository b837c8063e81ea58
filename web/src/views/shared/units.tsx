// A sentence with numbers: no line ends between one and its unit.

import { unitPieces } from "../../base/text";

export function Units({ text }: { text: string }) {
  return (
    <>
      {unitPieces(text).map((piece, ix) =>
        ix % 2 === 1 ? (
          <span key={ix} class="with-unit">
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
    </>
  );
}
