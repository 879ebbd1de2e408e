import { isDeepStrictEqual } from 'node:util'
import type { Reader, Transaction } from '../../database/database.ts'
import { list, sql } from '../../database/sql.ts'
import { derivedId, mintId } from '../../kernel/ids.ts'
import type { KnowledgeBase, Retrieval } from '../knowledge-base.ts'
import { goldenQuestions, goldenRuns } from './golden-tables.ts'

const runOfGeneration = (generationId: string): string => derivedId('grun', [generationId])
const statusColumn = goldenRuns.columns('status')
const openColumns = goldenRuns.columns('id', 'previous')

/** A run that waits to be claimed. */
export const newRun = {
  ...{ status: 'queued' as const, topK: 0, total: 0, done: 0, hits: 0, lost: 0, mrr: 0, results: [] },
  ...{ error: '', attempts: 0, startedBy: '' },
}

const hasQuestions = async (reader: Reader, workspaceId: string, knowledgeId: string): Promise<boolean> =>
  (await reader.get(sql`
    SELECT 1 AS one FROM golden_questions WHERE ${goldenQuestions.where({ workspaceId, knowledgeId })} LIMIT 1`)) !==
  undefined

interface GatedBase {
  workspaceId: string
  id: string
  goldenMaxLost: number | null
  nextGenerationId: string
}

/** Whether the next generation may replace the live one. `unknown`: the questions have to be asked first. */
export async function goldenVerdict(reader: Reader, base: GatedBase): Promise<'yes' | 'no' | 'unknown'> {
  const { workspaceId, id: knowledgeId, goldenMaxLost, nextGenerationId } = base
  if (goldenMaxLost === null || !(await hasQuestions(reader, workspaceId, knowledgeId))) return 'yes'
  const key = { workspaceId, id: runOfGeneration(nextGenerationId) }
  const run = await reader.get(goldenRuns.select(statusColumn, key))
  if (!run) return 'unknown'
  return run.status === 'passed' || run.status === 'accepted' ? 'yes' : 'no'
}

/** Queues the run for the next generation. Its id follows from the generation, so that there is one at most. */
export async function queueIndexRun(transaction: Transaction, base: GatedBase, now: number): Promise<void> {
  const { workspaceId, id: knowledgeId, nextGenerationId: generationId } = base
  const row = { ...newRun, workspaceId, knowledgeId, generationId, id: runOfGeneration(generationId) }
  await transaction.run(
    sql`${goldenRuns.insert({ ...row, reason: 'index', createdAt: now, dueAt: now })} ON CONFLICT DO NOTHING`,
  )
}

const discarded = { status: 'discarded', lease: undefined, dueAt: undefined } as const

/** The generation will not replace the live one: nothing is left to decide. */
export async function dropIndexRun(
  transaction: Transaction,
  workspaceId: string,
  generationId: string,
): Promise<void> {
  await transaction.run(goldenRuns.update({ workspaceId, id: runOfGeneration(generationId) }, discarded))
}

/** Queues a run for new retrieval settings. It takes over the comparison of an undecided run. */
export async function queueRetrievalRun(
  transaction: Transaction,
  workspaceId: string,
  base: KnowledgeBase,
  retrieval: Retrieval,
  now: number,
): Promise<void> {
  const knowledgeId = base.id
  if (isDeepStrictEqual(base.retrieval, retrieval)) return
  if (base.goldenMaxLost === null || !(await hasQuestions(transaction, workspaceId, knowledgeId))) return
  const [open] = await transaction.all(sql`
    UPDATE golden_runs SET ${goldenRuns.set(discarded)}
    WHERE ${goldenRuns.where({ workspaceId, knowledgeId, reason: 'retrieval' })} AND status IN ('queued', 'running', 'lost')
    RETURNING ${openColumns}`)
  const previous = open?.previous ?? base.retrieval
  if (isDeepStrictEqual(previous, retrieval)) return
  const row = { ...newRun, workspaceId, knowledgeId, id: mintId('grun'), generationId: base.generation.id }
  await transaction.run(
    goldenRuns.insert({ ...row, reason: 'retrieval', previous, createdAt: now, dueAt: now }),
  )
}

const checkColumns = goldenRuns.columns('id', 'knowledgeId', 'reason', 'status', 'lost', 'total', 'error')

/** A run about a change of settings that is in progress, or waits for a decision. */
export type OpenCheck = (typeof checkColumns)['row']

/** Open checks by base; a check of a new index takes precedence over one of search options. */
export async function openChecks(
  reader: Reader,
  workspaceId: string,
  knowledgeIds: string[],
): Promise<Map<string, OpenCheck>> {
  const rows = await reader.all(sql`
    SELECT ${checkColumns} FROM golden_runs
    WHERE workspace_id = ${workspaceId} AND knowledge_id IN ${list(knowledgeIds)}
      AND status IN ('queued', 'running', 'lost') AND reason <> 'manual' ORDER BY reason DESC`)
  return new Map(rows.map(row => [row.knowledgeId, row]))
}
