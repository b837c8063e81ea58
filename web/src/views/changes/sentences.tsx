// What changed, in at most ten sentences. A press on one selects its method.

import { signedTime, type Sentence } from "../../model/changes/changes";
import { useApp } from "../shared/context";
import { selectMethod, tone } from "./change-tone";

const KIND_WORDS: Record<Sentence["kind"], string> = {
  new: "new",
  gone: "gone",
  calls: "calls",
  cost: "cost",
};

export function Sentences({ list }: { list: readonly Sentence[] }) {
  const app = useApp();
  if (list.length === 0)
    return <p class="changes-none muted">No count of calls changed, and no time by a hundredth.</p>;
  return (
    <ol class="changes-told" aria-label="What changed">
      {list.map((sentence, ix) => (
        <li key={ix}>
          <button class="insight" onClick={() => selectMethod(app, sentence.method)}>
            <b class="insight-kind">{KIND_WORDS[sentence.kind]}</b>
            <span class={`insight-time ${tone(sentence.difference)}`}>
              {signedTime(sentence.difference)}
            </span>
            <span class="insight-text">
              <code>{sentence.method}</code> {sentence.text}.
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
