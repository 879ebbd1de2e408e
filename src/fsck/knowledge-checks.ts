import type { Database, Snapshot } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { groupsOf } from '../kernel/groups-of.ts'
import type { DocumentStore } from '../knowledge/document-store.ts'
import { KeywordRebuild } from '../knowledge/index/keyword-rebuild.ts'
import { decodeHeader, type SegmentRange } from '../knowledge/index/segment.ts'
import type { KnowledgeStore } from '../knowledge/knowledge-store.ts'
import type { ConsistencyCheck } from './check.ts'

interface KnowledgeCheckParts {
  database: Database
  bases: KnowledgeStore
  documents: DocumentStore
  clock: Clock
}

interface GenerationRow {
  workspace_id: string
  id: string
}

/** All generations of existing knowledge bases. */
const eachGeneration = (snapshot: Snapshot): AsyncIterable<GenerationRow> =>
  snapshot.each<GenerationRow>(
    `SELECT g.workspace_id, g.id FROM generations g
     JOIN knowledge_bases k ON k.workspace_id = g.workspace_id AND k.id = g.knowledge_id AND k.deleted_at IS NULL
     WHERE g.gone = 0`,
  )

const rangesPerQuery = 200

/** How many chunks of live batches these ranges of a segment cover. */
async function coveredChunks(
  snapshot: Snapshot,
  { workspace_id: workspaceId, id }: GenerationRow,
  ranges: SegmentRange[],
): Promise<number> {
  let covered = 0
  for (const group of groupsOf(ranges, rangesPerQuery)) {
    const values = group.map(() => '(CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT))').join(', ')
    // CROSS JOIN makes SQLite begin with the ranges. It would look at all batches of the generation, for every 200 of them.
    const row = await snapshot.get<{ total: number }>(
      `WITH covered (batch_id, first, past) AS (VALUES ${values})
       SELECT COUNT(*) AS total FROM covered r CROSS JOIN batches b CROSS JOIN chunks c
       WHERE b.workspace_id = ? AND b.id = r.batch_id AND b.generation_id = ? AND b.state = 'live'
         AND c.workspace_id = b.workspace_id AND c.batch_id = b.id
         AND c.position >= r.first AND c.position < r.past`,
      ...group.flatMap(({ batchId, from, count }) => [batchId, from, from + count]),
      workspaceId,
      id,
    )
    covered += row!.total
  }
  return covered
}

/**
 * Checks the keyword index of a generation; returns the problem, if there is one. Its segments must cover each chunk of a
 * live batch exactly once; chunks that are gone may be left in them. One header is in memory at a time.
 */
async function keywordProblem(snapshot: Snapshot, generation: GenerationRow): Promise<string | undefined> {
  const key = [generation.workspace_id, generation.id]
  let covered = 0
  for await (const row of snapshot.each<{ id: string; header: Uint8Array; blocks: number }>(
    `SELECT id, header, (SELECT COUNT(*) FROM segment_blocks b
       WHERE b.workspace_id = s.workspace_id AND b.segment_id = s.id) AS blocks
     FROM segments s WHERE workspace_id = ? AND generation_id = ? AND state = 'live'`,
    ...key,
  )) {
    const header = decodeHeader(row.header)
    if (header.firstTerms.length !== row.blocks)
      return `segment ${row.id} has ${row.blocks} of ${header.firstTerms.length} blocks`
    covered += await coveredChunks(snapshot, generation, header.ranges)
  }
  const stored = await snapshot.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM batches b CROSS JOIN chunks c
     WHERE b.workspace_id = ? AND b.generation_id = ? AND b.state = 'live'
       AND c.workspace_id = b.workspace_id AND c.batch_id = b.id`,
    ...key,
  )
  return covered === stored!.total
    ? undefined
    : `${covered} of ${stored!.total} chunks are in the keyword index`
}

function keywordCheck(parts: KnowledgeCheckParts): ConsistencyCheck {
  const { database } = parts
  const eachBroken = (take: (generation: GenerationRow, problem: string) => void): Promise<void> =>
    database.snapshot(async snapshot => {
      for await (const generation of eachGeneration(snapshot)) {
        const problem = await keywordProblem(snapshot, generation)
        if (problem) take(generation, problem)
      }
    })
  return {
    name: 'keyword index',
    promise: 'Every chunk is in the keyword index once.',
    find: report =>
      eachBroken(({ workspace_id: workspaceId, id }, problem) =>
        report({ workspaceId, message: `generation ${id}: ${problem}` }),
      ),
    repair: async signal => {
      const broken: GenerationRow[] = []
      await eachBroken(generation => broken.push(generation))
      const rebuild = new KeywordRebuild(database, parts.clock)
      for (const { workspace_id: workspaceId, id } of broken) await rebuild.rebuild(workspaceId, id, signal)
    },
    remedy: '--repair builds the index of the knowledge base again from its chunks.',
  }
}

const documentsPerRound = 500

interface DocumentRow {
  workspace_id: string
  knowledge_id: string
  file_id: string
  found: number
  expected: number
}

/** CROSS JOIN makes SQLite begin with the batches. It would look at all chunks of the workspace, for each document. */
const liveChunks = `
  SELECT COUNT(*) FROM batches b CROSS JOIN chunks c
  WHERE b.workspace_id = r.workspace_id AND b.generation_id = r.generation_id AND b.file_id = r.file_id
    AND b.state = 'live' AND c.workspace_id = b.workspace_id AND c.batch_id = b.id`
const liveVectors = `${liveChunks.replace('chunks c', 'chunks c CROSS JOIN vectors v')}
    AND v.workspace_id = c.workspace_id AND v.batch_id = c.batch_id AND v.position = c.position`
const readyDocuments = (found: string, expected: string, where = ''): string => `
  SELECT * FROM (
    SELECT r.workspace_id, r.knowledge_id, r.file_id, (${found}) AS found, (${expected}) AS expected
    FROM readings r JOIN generations g ON g.workspace_id = r.workspace_id AND g.id = r.generation_id AND g.gone = 0
    WHERE r.status = 'ready' AND r.due_at IS NULL ${where}
      AND r.workspace_id IN (SELECT id FROM workspaces WHERE deleted_at IS NULL)
  ) AS counted WHERE found <> expected`

/** Checks documents; those with incomplete rows are processed again. */
function documentCheck(
  { database, bases, documents, clock }: KnowledgeCheckParts,
  { name, promise, unit, query }: { name: string; promise: string; unit: string; query: string },
): ConsistencyCheck {
  return {
    name,
    promise,
    find: report =>
      database.snapshot(async snapshot => {
        for await (const row of snapshot.each<DocumentRow>(query))
          report({
            workspaceId: row.workspace_id,
            message: `document ${row.file_id} of ${row.knowledge_id} has ${row.found} of ${row.expected} ${unit}`,
          })
      }),
    // A queued document is not found again, so each round gets the next ones.
    repair: async signal => {
      for (let isDone = false; !isDone; ) {
        const broken = await database.all<DocumentRow>(`${query} LIMIT ${documentsPerRound}`)
        let queued = 0
        for (const { workspace_id: workspaceId, knowledge_id: knowledgeId, file_id: fileId } of broken) {
          signal.throwIfAborted()
          const base = await bases.find(workspaceId, knowledgeId)
          if (base)
            queued += (await documents.requeue(workspaceId, base, [fileId], clock.now())).accepted.length
        }
        isDone = queued === 0 || broken.length < documentsPerRound
      }
    },
    remedy: '--repair queues these documents to be processed again by a running server.',
  }
}

export const knowledgeChecks = (parts: KnowledgeCheckParts): ConsistencyCheck[] => [
  documentCheck(parts, {
    name: 'chunks of documents',
    promise: 'Every document that is ready has all its chunks.',
    unit: 'chunks',
    query: readyDocuments(liveChunks, 'SELECT r.chunk_count'),
  }),
  documentCheck(parts, {
    name: 'vectors of chunks',
    promise: 'Every chunk of a generation with an embedding model has a vector.',
    unit: 'vectors',
    query: readyDocuments(liveVectors, liveChunks, 'AND g.embedding_model IS NOT NULL'),
  }),
  keywordCheck(parts),
]
