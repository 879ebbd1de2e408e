import type { Outcome } from './command.ts'
import type { RemoteDocument } from './remote-knowledge.ts'
import type { SentFiles } from './send-files.ts'
import type { NamedReason } from './walk-folder.ts'

interface Failed {
  name: string
  file_id: string | null
  code: string
  message: string
  retryable: boolean
}

export interface Ingested {
  knowledge: { id: string; name: string }
  documents: RemoteDocument[]
  sent: SentFiles
  /** Files that did not become documents although they should. */
  refused: NamedReason[]
  skipped: NamedReason[]
}

/** A file name may hold anything, and a terminal acts on some of it. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�')

const byName = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0

function failuresOf({ documents, sent, refused }: Ingested): Failed[] {
  const there = new Set(documents.map(({ file_id }) => file_id))
  const failed = documents
    .filter(({ status }) => status === 'failed')
    .map(({ file_id, name, error }) => ({
      name,
      file_id,
      code: error?.code ?? 'internal',
      message: error?.message ?? 'The server does not say why.',
      retryable: error?.retryable ?? false,
    }))
  const gone = [...sent.documents]
    .filter(([id]) => !there.has(id))
    .map(([file_id, name]) => ({ name, file_id, ...notSent, message: 'was deleted while it was read' }))
  const notTaken = refused.map(({ name, reason }) => ({ name, file_id: null, ...notSent, message: reason }))
  return [...failed, ...gone, ...notTaken].sort(byName)
}

const notSent = { code: 'not_added', retryable: true }

const section = (title: string, count: number, lines: string[]): string[] => [
  `${title.padEnd(8)}${count}`,
  ...lines.map(line => `  ${printable(line)}`),
]

export function ingestOutcome(ingested: Ingested): Outcome {
  const { knowledge, documents, sent, skipped } = ingested
  const failed = failuresOf(ingested)
  const ready = documents.filter(({ status }) => status === 'ready').length
  const alreadyThere = sent.documents.size - sent.addedCount
  const canRetry = failed.some(({ file_id, retryable }) => retryable && file_id !== null)
  return {
    text: [
      `Knowledge base ${printable(knowledge.name)} (${knowledge.id}): added ${sent.addedCount}, there before ${alreadyThere}.`,
      '',
      ...section('Ready', ready, []),
      ...section(
        'Failed',
        failed.length,
        failed.map(({ name, code, message }) => `${name}: ${code}: ${message}`),
      ),
      ...section(
        'Skipped',
        skipped.length,
        skipped.map(({ name, reason }) => `${name}: ${reason}`),
      ),
    ].join('\n'),
    json: {
      knowledge_id: knowledge.id,
      name: knowledge.name,
      added: sent.addedCount,
      already_there: alreadyThere,
      ready,
      failed,
      skipped,
    },
    problem:
      failed.length === 0
        ? undefined
        : `${failed.length} of ${ready + failed.length} files failed.${canRetry ? ' Some may succeed when they are read again: POST /api/v1/knowledge/{knowledge_id}/rebind does that.' : ''}`,
  }
}
