// Goes to the longest call of a method in the timeline, however deep it lies.

import { callWords } from "../../model/words";
import { useApp } from "./context";

export function ShowButton({ rank, isInRow = false }: { rank: number; isInRow?: boolean }) {
  const { store, reveal } = useApp();
  const { one } = callWords(store.info.value?.sampled === true);
  return (
    <button
      class={isInRow ? "row-show" : "link"}
      // In a table the row has the focus, and its menu has the same.
      {...(isInRow ? { tabIndex: -1 } : {})}
      title={`Its longest ${one} in the timeline`}
      onClick={(event) => {
        event.stopPropagation();
        reveal.method(rank);
      }}
      onDblClick={(event) => event.stopPropagation()}
    >
      Show
    </button>
  );
}
