// The message of a table without rows.

export function TableMessage({
  error,
  isEmpty,
  empty,
}: {
  error: string | null;
  isEmpty: boolean;
  empty: string;
}) {
  if (error !== null)
    return (
      <div class="table-message bad" role="alert">
        Not up to date: {error}
      </div>
    );
  return isEmpty ? <div class="table-message">{empty}</div> : null;
}
