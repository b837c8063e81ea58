// What a page that stands alone promises about the user's file, and what holds it to that.

import { MOST_KEPT_BYTES } from "../../model/page/recent";
import { useApp } from "../shared/context";

export function Promise() {
  const { reach } = useApp().store.can.value;
  if (reach === null) return null;
  const [own, ...others] = reach;
  return (
    <p class="start-promise">
      <b>Nothing is uploaded.</b> This page reads the file itself, and its content policy lets it
      speak to no one but {own === undefined ? "itself" : <code>{own}</code>}, where it came from
      {others.length === 0 ? "" : " and from where links may fetch traces: "}
      {others.map((host) => (
        <code key={host}>{host} </code>
      ))}
      . It works without a network, too. What you open is kept in this browser,{" "}
      {MOST_KEPT_BYTES >> 20} MiB in all at most, so that a reload shows it again, until you press{" "}
      <i>Forget</i> in the list of recent files.
    </p>
  );
}
