// The data that a single file holds, as text in elements of the page. A trace is long, so it is a row of blocks, and each
// block is read as soon as the browser has it, while the rest of the document still arrives (docs/report.md).

import { bytesOfBase93 } from "../../base/base93";

// The id of the last element of a page: where it is missing, the file was cut.
const END = "tv-end";

const CUT = "this file is cut short or damaged: get it again, packed as .zip if it came by mail";

export function block(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

const isLoaded = (): boolean => document.readyState !== "loading";

// Waits until there are more blocks, or the document is there.
function growth(row: Element): Promise<void> {
  return new Promise((resolve) => {
    const watch = new MutationObserver(() => end());
    const end = (): void => {
      watch.disconnect();
      document.removeEventListener("DOMContentLoaded", end);
      resolve();
    };
    watch.observe(row, { childList: true });
    document.addEventListener("DOMContentLoaded", end);
  });
}

// The bytes of each block of the row. Throws where the document ends before the element END.
export async function* bytesOfRow(row: Element): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let ix = 0; ;) {
    const one = row.children[ix];
    // A block is complete when another node follows it.
    if (one?.nextSibling != null) {
      yield bytesOfBase93(one.textContent);
      ix += 1;
    } else if (row.nextElementSibling !== null) {
      return;
    } else if (!isLoaded()) {
      await growth(row);
    } else if (document.getElementById(END) === null) {
      throw new Error(CUT);
    } else {
      return;
    }
  }
}
