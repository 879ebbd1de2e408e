import { dueRows, type HeldRow } from '../../cluster/queue-worker.ts'
import type { Page, PageRequest } from '../../contract/paging.ts'
import { countRows, inOrder } from '../../database/database.ts'
import { Order } from '../../database/order.ts'
import { readPage } from '../../database/page.ts'
import { list, raw, sql } from '../../database/sql.ts'
import { insertRows, Store } from '../../database/store.ts'
import { groupsOf } from '../../kernel/groups-of.ts'
import { documents, knowledgeBases } from '../knowledge-tables.ts'
import { newRun } from './golden-gate.ts'
import {
  type GoldenQuestion,
  type GoldenResult,
  type GoldenRun,
  type GoldenStatus,
  goldenQuestions,
  goldenRuns,
} from './golden-tables.ts'

const questionColumns = goldenQuestions.columns(...goldenQuestions.keysExcept('workspaceId'))
const runColumns = goldenRuns.columns(...goldenRuns.keysExcept('workspaceId', 'lease', 'dueAt'))
const listedColumns = goldenRuns.columns(...goldenRuns.keysExcept('workspaceId', 'lease', 'dueAt', 'results'))
const nameColumns = documents.columns('fileId', 'name')
const oldestFirst = new Order('created_at', 'id')
const newestFirst = new Order('created_at DESC', 'id')
const open = raw("('queued', 'running', 'lost')")
const namesPerStatement = 500

export type ListedGoldenRun = Omit<GoldenRun, 'results'>

interface GoldenScore {
  status: GoldenStatus
  topK: number
  total: number
  hits: number
  lost: number
  mrr: number
  results: readonly GoldenResult[]
  finishedAt: number
}

const heldBy = ({ workspaceId, id, lease }: HeldRow) => goldenRuns.where({ workspaceId, id, lease })

export class GoldenStore extends Store {
  readonly rows = dueRows(this.database, goldenRuns, runColumns)

  /** Adds the questions whose text is new at the end, and returns them; 'too_many' if none was added. */
  addQuestions(
    workspaceId: string,
    knowledgeId: string,
    questions: readonly GoldenQuestion[],
    max: number,
  ): Promise<GoldenQuestion[] | 'too_many'> {
    return this.database.transaction(async transaction => {
      const key = knowledgeBases.where({ workspaceId, id: knowledgeId })
      // The lock makes concurrent requests count each other.
      await transaction.get(sql`SELECT 1 AS one FROM knowledge_bases WHERE ${key} ${this.database.forUpdate}`)
      const all = sql`golden_questions WHERE ${goldenQuestions.where({ workspaceId, knowledgeId })}`
      const known = await transaction.all(sql`SELECT ${goldenQuestions.columns('question')} FROM ${all}`)
      const texts = new Set(known.map(({ question }) => question))
      const fresh = questions.filter(({ question }) => !texts.has(question))
      if (texts.size + fresh.length > max) return 'too_many'
      const added = await inOrder(transaction, all, fresh)
      const rows = added.map(question => ({ workspaceId, ...question }))
      await insertRows(transaction, goldenQuestions, rows)
      return added
    })
  }

  findQuestion(workspaceId: string, knowledgeId: string, id: string): Promise<GoldenQuestion | undefined> {
    return this.database.get(goldenQuestions.select(questionColumns, { workspaceId, knowledgeId, id }))
  }

  /** False when another question has that text. */
  updateQuestion(
    workspaceId: string,
    { id, knowledgeId }: GoldenQuestion,
    change: Partial<GoldenQuestion>,
  ): Promise<boolean> {
    return this.database.transaction(async transaction => {
      const { question } = change
      const same =
        question === undefined
          ? undefined
          : await transaction.get(sql`
              SELECT 1 AS one FROM golden_questions
              WHERE ${goldenQuestions.where({ workspaceId, knowledgeId, question })} AND id <> ${id}`)
      if (same) return false
      await transaction.run(goldenQuestions.update({ workspaceId, id }, change))
      return true
    })
  }

  async removeQuestion(workspaceId: string, knowledgeId: string, id: string): Promise<boolean> {
    return (await this.runDeletion(goldenQuestions.delete({ workspaceId, knowledgeId, id }))) > 0
  }

  listQuestions(workspaceId: string, knowledgeId: string, page: PageRequest): Promise<Page<GoldenQuestion>> {
    return readPage(this.database, {
      ...{ workspaceId, columns: questionColumns, source: goldenQuestions, order: oldestFirst, page },
      where: goldenQuestions.where({ workspaceId, knowledgeId }),
    })
  }

  allQuestions(workspaceId: string, knowledgeId: string): Promise<GoldenQuestion[]> {
    return this.database.all(sql`
      SELECT ${questionColumns} FROM golden_questions WHERE ${goldenQuestions.where({ workspaceId, knowledgeId })}
      ORDER BY created_at, id`)
  }

  countQuestions(workspaceId: string, knowledgeId: string): Promise<number> {
    const key = goldenQuestions.where({ workspaceId, knowledgeId })
    return countRows(this.database, sql`golden_questions WHERE ${key}`)
  }

  async documentNames(
    workspaceId: string,
    knowledgeId: string,
    fileIds: readonly string[],
  ): Promise<Map<string, string>> {
    const names = new Map<string, string>()
    for (const ids of groupsOf([...new Set(fileIds)], namesPerStatement)) {
      const rows = await this.database.all(sql`
        SELECT ${nameColumns} FROM documents WHERE ${documents.where({ workspaceId, knowledgeId })}
          AND file_id IN ${list(ids)}`)
      for (const { fileId, name } of rows) names.set(fileId, name)
    }
    return names
  }

  /** The documents with these names. Names have no index of their own, so this runs in a thread. */
  async documentsNamed(workspaceId: string, knowledgeId: string, names: readonly string[]) {
    const found: { fileId: string; name: string }[] = []
    for (const some of groupsOf(names, namesPerStatement))
      found.push(
        ...(await this.database.background(workspaceId).all(sql`
          SELECT ${nameColumns} FROM documents WHERE ${documents.where({ workspaceId, knowledgeId })}
            AND name IN ${list(some)}`)),
      )
    return found
  }

  /** Queues a run. An earlier undecided run is discarded, and the oldest runs are deleted. */
  addRun(
    workspaceId: string,
    run: Pick<GoldenRun, 'id' | 'knowledgeId' | 'generationId' | 'startedBy' | 'createdAt'>,
    kept: number,
  ): Promise<GoldenRun> {
    const { knowledgeId, createdAt } = run
    return this.database.transaction(async transaction => {
      const ofBase = { workspaceId, knowledgeId }
      const undecided = { ...ofBase, reason: 'manual', status: 'lost' } as const
      await transaction.run(goldenRuns.update(undecided, { status: 'discarded' }))
      await transaction.run(
        goldenRuns.insert({ workspaceId, ...newRun, ...run, reason: 'manual', dueAt: createdAt }),
      )
      const old = sql`${goldenRuns.where(ofBase)} AND status NOT IN ${open}`
      await transaction.run(sql`
        DELETE FROM golden_runs WHERE ${goldenRuns.where(ofBase)} AND id IN (
          SELECT id FROM golden_runs WHERE ${old} ORDER BY created_at DESC, id LIMIT 100 OFFSET ${kept})`)
      return { ...newRun, ...run, reason: 'manual', previous: undefined, finishedAt: undefined }
    })
  }

  findRun(workspaceId: string, knowledgeId: string, id: string): Promise<GoldenRun | undefined> {
    return this.database.get(goldenRuns.select(runColumns, { workspaceId, knowledgeId, id }))
  }

  listRuns(workspaceId: string, knowledgeId: string, page: PageRequest): Promise<Page<ListedGoldenRun>> {
    return readPage(this.database, {
      ...{ workspaceId, columns: listedColumns, source: goldenRuns, order: newestFirst, page },
      where: goldenRuns.where({ workspaceId, knowledgeId }),
    })
  }

  /** The last run that passed or was accepted, with which a manual run is compared. */
  lastAccepted(workspaceId: string, knowledgeId: string): Promise<GoldenRun | undefined> {
    return this.database.get(sql`
      SELECT ${runColumns} FROM golden_runs WHERE ${goldenRuns.where({ workspaceId, knowledgeId })}
        AND status IN ('passed', 'accepted') AND finished_at IS NOT NULL ORDER BY created_at DESC, id LIMIT 1`)
  }

  /** False when the lease is lost: the run was decided, or another process continues it. */
  async renew(held: HeldRow, until: number, progress?: { done: number; total: number }) {
    return (await this.run(goldenRuns.update(heldBy(held), { dueAt: until, ...progress }))) > 0
  }

  async finish(held: HeldRow, score: GoldenScore): Promise<boolean> {
    const ended = { done: score.total, error: '', lease: undefined, dueAt: undefined }
    return (await this.run(goldenRuns.update(heldBy(held), { ...score, ...ended }))) > 0
  }

  /** Schedules the next attempt, or marks the run as failed if there is none. */
  async release(
    held: HeldRow,
    { dueAt, error, attempts, now }: { dueAt?: number; error: string; attempts: number; now: number },
  ): Promise<void> {
    const status = dueAt === undefined ? ('failed' as const) : ('queued' as const)
    const finishedAt = dueAt === undefined ? now : undefined
    const change = { status, dueAt, error, attempts, finishedAt, lease: undefined }
    await this.run(goldenRuns.update(heldBy(held), change))
  }

  /** False when the run was decided before. */
  async decide(workspaceId: string, id: string, status: 'accepted' | 'discarded', now: number) {
    const change = goldenRuns.set({ status, lease: undefined, dueAt: undefined })
    const key = goldenRuns.where({ workspaceId, id })
    return (
      (await this.run(sql`
        UPDATE golden_runs SET ${change}, finished_at = COALESCE(finished_at, ${now})
        WHERE ${key} AND status IN ${open}`)) > 0
    )
  }
}
