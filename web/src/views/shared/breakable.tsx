// A name of code that takes several lines where it must: they end between its words, not in the middle of one.

import { linePieces } from "../../base/text";

export function Breakable({ text }: { text: string }) {
  return (
    <>
      {linePieces(text).map((piece, ix) => (
        <>
          {ix === 0 ? null : <wbr />}
          {piece}
        </>
      ))}
    </>
  );
}
