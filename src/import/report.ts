import { type ImportNote, sentenceOf } from '../contract/import-notes.ts'

/** How one node of a foreign application was imported. */
export interface ReportLine {
  /** The id of the node in the stored graph; empty for the application itself, and for what is left out. */
  nodeId: string
  title: string
  /** The foreign type of the node. */
  kind: string
  state: 'mapped' | 'changed' | 'unmapped'
  /** The differences, and what to do about them; empty if there are none. */
  message: string
  /** The sentences of the message, for clients with texts of their own. */
  notes: readonly ImportNote[]
}

type LineStart = Omit<ReportLine, 'message' | 'notes'>

interface Entry extends LineStart {
  /** Notes by their sentence, so that none is repeated. */
  notes: Map<string, ImportNote>
}

const rank = { mapped: 0, changed: 1, unmapped: 2 } as const
const maxNotes = 50

/** Collects how every node and setting was imported. */
export class Report {
  readonly #entries = new Map<string, Entry>()

  /** `key` is the foreign id. The worst state counts, and every note is kept. */
  add(key: string, line: LineStart, note?: ImportNote): void {
    const entry = this.#entries.get(key) ?? { ...line, notes: new Map<string, ImportNote>() }
    if (rank[line.state] > rank[entry.state]) entry.state = line.state
    if (note && entry.notes.size < maxNotes) entry.notes.set(sentenceOf(note), note)
    this.#entries.set(key, entry)
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  lines(): ReportLine[] {
    return [...this.#entries.values()].map(({ notes, ...line }) => ({
      ...line,
      message: [...notes.keys()].join(' '),
      notes: [...notes.values()],
    }))
  }
}
