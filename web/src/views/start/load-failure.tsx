// The page whose trace cannot be shown: why, and what the user can do.

import { useApp } from "../shared/context";

export function Failed({ message }: { message: string }) {
  const { session, store } = useApp();
  // What the page itself has in it is read with the page.
  const retry = (): void => (store.can.value.open ? session.retry() : self.location.reload());
  return (
    <div class="failed" role="alert">
      <h2>This trace cannot be shown</h2>
      <p>{message}</p>
      <button class="button" onClick={retry}>
        Try again
      </button>{" "}
      {store.isConnected.value && store.can.value.open ? (
        <button class="button" onClick={() => (store.phase.value = { kind: "empty" })}>
          Open another
        </button>
      ) : null}
    </div>
  );
}
