import { Store } from '../../../database/store.ts'
import { table, text } from '../../../database/table.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { nextTurn } from '../../../kernel/pause.ts'
import { randomText } from '../../../kernel/random-text.ts'
import { piecesOf } from '../../../kernel/write-in-pieces.ts'

/** Outputs that are too large for the journal, whose rows are read often. They are deleted with their run. */
export const runContents = table('run_contents', {
  workspaceId: text(),
  runId: text(),
  key: text(),
  body: text(),
})

/** Replaces such an output in the journal. */
interface Reference {
  $kept: string
  bytes: number
  /** How many rows it takes; one if absent. */
  parts?: number
}

const maxInJournal = 1 << 20
/**
 * Larger ones take several rows, each in its own transaction: SQLite reads and writes on the main thread, and decoding
 * a million characters that are not ASCII takes 20 ms.
 */
const maxPartLength = 256 << 10
const mark = '{"$kept":'

/** Also true for an output that looks like a `Reference`, because it would be taken for one when it is read. */
export const isLarge = (json: string | undefined): json is string =>
  json !== undefined && (json.length > maxInJournal || json.startsWith(mark))

/** The form for a trace: a note replaces a large output. */
export const showLarge = (json: string): string =>
  json.startsWith(mark)
    ? JSON.stringify({ truncated: true, bytes: (JSON.parse(json) as Reference).bytes })
    : json

/** How long an output of the journal is, wherever it is stored. */
export const outputLength = (json: string): number =>
  json.startsWith(mark) ? (JSON.parse(json) as Reference).bytes : json.length

export class OutputStore extends Store {
  /** Stores a large output and returns what replaces it in the journal. */
  async put(workspaceId: string, runId: string, body: string): Promise<string> {
    const key = randomText(16)
    const parts = [...piecesOf(body, maxPartLength)]
    const inserts = parts.map((part, index) =>
      runContents.insert({ workspaceId, runId, key: partKey(key, index), body: part }),
    )
    await Promise.all(inserts.map(insert => this.run(insert)))
    const reference: Reference = { $kept: key, bytes: Buffer.byteLength(body), parts: parts.length }
    return JSON.stringify(reference)
  }

  /** An output of the journal, wherever it is stored. */
  async get(workspaceId: string, runId: string, json: string): Promise<string> {
    if (!json.startsWith(mark)) return json
    const { $kept: key, parts = 1 } = JSON.parse(json) as Reference
    const bodies: string[] = []
    for (let index = 0; index < parts; index++) {
      const row = await this.database.get(
        runContents.select(runContents.columns('body'), { workspaceId, runId, key: partKey(key, index) }),
      )
      if (!row) throw new AppError('content_damaged', 'A stored output of this run is missing')
      bodies.push(row.body)
      if (parts > 1) await nextTurn()
    }
    return bodies.join('')
  }
}

const partKey = (key: string, index: number): string => (index === 0 ? key : `${key}.${index}`)
