import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { graphEnding, tableEnding, temporaryEnding } from './index-file-names.ts'

/** A file that is being written is younger than this. */
const temporaryMilliseconds = 3_600_000

/** Removes the files of generations that do not exist any more, and what a crash left half written. */
export async function sweepIndexFiles(
  { folder, databasePath }: { folder: string; databasePath: string },
  signal: AbortSignal,
): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  if (names.length === 0) return
  const connection = new DatabaseSync(databasePath, { readOnly: true, timeout: 1000 })
  try {
    const known = connection.prepare('SELECT 1 FROM generations WHERE id = ? AND gone = 0')
    for (const name of names) {
      if (signal.aborted) return
      const path = join(folder, name)
      const isUseless = name.endsWith(temporaryEnding)
        ? Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()) >
          temporaryMilliseconds
        : [graphEnding, tableEnding].some(
            ending => name.endsWith(ending) && !known.get(name.slice(0, -ending.length)),
          )
      if (isUseless) await rm(path, { force: true })
    }
  } finally {
    connection.close()
  }
}
