/** Where outputs go that are too large for the journal. */
export interface OutputVault {
  /** Keeps a text that belongs to a run, and gives back its name. */
  put(workspaceId: string, runId: string, text: string): Promise<string>
  get(workspaceId: string, runId: string, key: string): Promise<string>
}

/** What stands in the journal for such an output. */
interface Kept {
  $kept: string
  bytes: number
}

/** Larger ones leave the journal. */
const largeOutput = 1 << 20
const mark = '{"$kept":'

/** What looks like our own mark leaves the journal too, else it would be taken for one when it is read. */
export const isForVault = (json: string): boolean => json.length > largeOutput || json.startsWith(mark)

export async function keepLarge(
  vault: OutputVault,
  workspaceId: string,
  runId: string,
  json: string,
): Promise<string> {
  if (!isForVault(json)) return json
  const kept: Kept = { $kept: await vault.put(workspaceId, runId, json), bytes: Buffer.byteLength(json) }
  return JSON.stringify(kept)
}

/** What is shown of an output where it is too large to be shown. */
export function showLarge(json: string): string {
  return json.startsWith(mark)
    ? JSON.stringify({ truncated: true, bytes: (JSON.parse(json) as Kept).bytes })
    : json
}

/** The JSON itself, wherever it is. */
export async function fetchLarge(
  vault: OutputVault,
  workspaceId: string,
  runId: string,
  json: string,
): Promise<string> {
  return json.startsWith(mark) ? vault.get(workspaceId, runId, (JSON.parse(json) as Kept).$kept) : json
}
