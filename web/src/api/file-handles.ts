// Files that the browser can give again, as they are then. Only some browsers do; TypeScript knows none of it.

import { isMappingName, isMappingText, MAPPING_HEAD } from "../model/mapping";

export type Handle = FileSystemFileHandle & {
  requestPermission?(options: { mode: "read" }): Promise<PermissionState>;
};

type Giving = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };
type Picking = typeof self & {
  showOpenFilePicker?(options: { multiple: true }): Promise<Handle[]>;
};

// To be called while the drop is being told of: the browser gives nothing later.
export async function droppedHandle(transfer: DataTransfer | null): Promise<Handle | null> {
  const item = [...(transfer?.items ?? [])].find(({ kind }) => kind === "file") as
    Giving | undefined;
  try {
    const handle = (await item?.getAsFileSystemHandle?.()) ?? null;
    return handle instanceof FileSystemFileHandle ? handle : null;
  } catch {
    return null;
  }
}

// null: this browser has only the chooser that gives files without handles.
export function handlePicker(): (() => Promise<readonly Handle[]>) | null {
  const { showOpenFilePicker } = self as Picking;
  if (showOpenFilePicker === undefined) return null;
  // It fails when the user chooses nothing.
  return () => showOpenFilePicker.call(self, { multiple: true }).catch(() => []);
}

// Whether a file that the user gives is a mapping and no trace, by its first bytes. One that cannot be read is left to who
// opens it.
export async function isMappingFile(file: File): Promise<boolean> {
  if (isMappingName(file.name)) return true;
  try {
    return isMappingText(await file.slice(0, MAPPING_HEAD).text());
  } catch {
    return false;
  }
}
