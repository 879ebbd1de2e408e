import { setTimeout as sleep } from 'node:timers/promises'
import type { RemoteDocument, RemoteKnowledge } from './remote-knowledge.ts'

/** In the order of a document's life: one that moves on while we look is seen twice rather than never. */
const openStatuses = ['queued', 'parsing', 'chunking', 'embedding'] as const

const isOpen = ({ status }: RemoteDocument): boolean => (openStatuses as readonly string[]).includes(status)

const mostPages = 3
const pauseMilliseconds = 1000

interface Look {
  /** How many of ours are not through; an upper bound while the queue is long. */
  openCount: number
  stage: string
}

/** Which of a long queue are ours is not worth a hundred calls every second: then all of it counts. */
async function openOfStatus(
  base: RemoteKnowledge,
  status: (typeof openStatuses)[number],
  ours: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<number> {
  const first = await base.page(1, status, signal)
  if (first.total > mostPages * 100) return first.total
  const ids = new Set(first.items.map(({ file_id }) => file_id))
  for (let page = 2; (page - 1) * 100 < first.total; page++)
    for (const { file_id } of (await base.page(page, status, signal)).items) ids.add(file_id)
  return [...ids].filter(id => ours.has(id)).length
}

async function look(
  base: RemoteKnowledge,
  ours: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Look> {
  const counts: [string, number][] = []
  for (const status of openStatuses) counts.push([status, await openOfStatus(base, status, ours, signal)])
  const open = counts.reduce((sum, [, count]) => sum + count, 0)
  const atWork = counts.filter(([status, count]) => status !== 'queued' && count > 0)
  return {
    openCount: Math.min(open, ours.size),
    stage: atWork.map(([status, count]) => `${status} ${count}`).join(', ') || (open > 0 ? 'queued' : ''),
  }
}

/**
 * Waits until every document is ready, failed or gone, and gives them as they are then. The numbers on the way
 * come from a few cheap calls; the last word has the list of all documents.
 */
export async function awaitDocuments(
  base: RemoteKnowledge,
  ours: ReadonlyMap<string, string>,
  onLook: (done: number, stage: string) => void,
  signal: AbortSignal,
): Promise<RemoteDocument[]> {
  for (;;) {
    const startedAt = performance.now()
    const { openCount, stage } = await look(base, ours, signal)
    onLook(ours.size - openCount, stage)
    if (openCount === 0) {
      const all = new Map((await base.documents(signal)).map(document => [document.file_id, document]))
      const found = [...ours.keys()].flatMap(id => all.get(id) ?? [])
      if (!found.some(isOpen)) return found
    }
    // A server that is slow to answer has better things to do than to be asked.
    const pause = Math.max(pauseMilliseconds, 4 * (performance.now() - startedAt))
    await sleep(pause, undefined, { signal }).catch(() => {
      throw signal.reason
    })
  }
}
