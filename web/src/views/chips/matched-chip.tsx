// That methods are matched by hand, as a chip that undoes it.

import { matchedText, type Matched } from "../../model/changes/matched";
import { isCompared } from "../../state/page/compared";
import { head, item, LINE } from "../../state/page/menu";
import { useApp } from "../shared/context";
import { menuBelow } from "../shared/menu-below";

export function MatchedChip() {
  const app = useApp();
  const { store } = app;
  const matched = store.matched.value;
  const [only] = matched;
  if (only === undefined || !isCompared(store)) return null;
  const remove = (one: Matched): void => {
    store.matched.value = store.matched.peek().filter((other) => other !== one);
  };
  const isOne = matched.length === 1;
  return (
    <button
      class="chip matched"
      {...(isOne ? {} : { "aria-haspopup": "menu" as const })}
      title={
        isOne
          ? `${only.old} of the old side is ${only.new}. Press to undo the match`
          : "Methods of the old side that have other names on the new one"
      }
      onClick={(event) => {
        if (isOne) remove(only);
        else
          menuBelow(app, event.currentTarget, "Methods matched by hand", () => [
            head("Press to undo a match"),
            ...store.matched.value.map((one) => item(`${one.old} → ${one.new}`, () => remove(one))),
            LINE,
            item("Undo all", () => (store.matched.value = [])),
          ]);
      }}
    >
      <span class="clip">{matchedText(matched)}</span> <i class={isOne ? "cross" : "caret"} />
    </button>
  );
}
