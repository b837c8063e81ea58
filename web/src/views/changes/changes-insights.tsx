// What changed, in at most ten sentences. A press on one selects its method.

import { shortName } from "../../model/changes/callers";
import {
  signedTime,
  type Changes,
  type Sentence,
  type SideWords,
} from "../../model/changes/changes";
import { useApp } from "../shared/context";
import { changeTone } from "../shared/change-tone";
import { nothingText } from "../../model/changes/summary";
import { selectMethod } from "./change-actions";

export function Sentences({
  list,
  whole,
  own,
  words,
}: {
  list: readonly Sentence[];
  whole: Changes;
  own: Changes;
  words: SideWords;
}) {
  const app = useApp();
  if (list.length === 0) return <p class="changes-none muted">{nothingText(whole, own)}</p>;
  return (
    <ol class="changes-told" aria-label="What changed">
      {list.map((sentence, ix) => (
        <li key={ix}>
          <button class="insight" onClick={() => selectMethod(app, sentence.method)}>
            <b class="insight-kind">{words.kinds[sentence.kind]}</b>
            <span class={`insight-time ${changeTone(sentence.difference)}`}>
              {signedTime(sentence.difference)}
            </span>
            <span class="insight-text">
              <code title={sentence.method}>{shortName(sentence.method)}</code> {sentence.text}.
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
