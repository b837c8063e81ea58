// The details with the bar that makes them larger, and the button that opens them.

import { setSetting } from "../../state/actions/choose";
import { useApp } from "../shared/context";
import { DetailPane } from "./detail-pane";
import { DetailSplitter } from "./detail-splitter";

export function Details() {
  return (
    <>
      <DetailSplitter />
      <DetailPane />
    </>
  );
}

export function DetailsButton() {
  const { store } = useApp();
  return (
    <button
      class="link details-button"
      title="Where the time of what is selected went (X)"
      onClick={() => setSetting(store, { isDetailsOpen: true })}
    >
      Details
    </button>
  );
}
