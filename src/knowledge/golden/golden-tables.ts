import { integer, json, optional, type RowOf, real, table, text } from '../../database/table.ts'
import type { Retrieval } from '../knowledge-base.ts'

export const goldenQuestions = table('golden_questions', {
  workspaceId: text(),
  id: text(),
  knowledgeId: text(),
  question: text(),
  /** Documents, at least one of which must be found. */
  fileIds: json<readonly string[]>(),
  /** Text that the passage must contain; if empty, any passage of the document counts. */
  expectedText: text(),
  createdAt: integer(),
})

/**
 * `manual`: compared with the last accepted run. `index`: a complete next generation is compared with the live one
 * before it may replace it. `retrieval`: new retrieval settings, already in use, are compared with the previous ones.
 */
type GoldenReason = 'manual' | 'index' | 'retrieval'

/** `lost`: more questions than allowed are not found any more, and the user has to decide. */
export type GoldenStatus = 'queued' | 'running' | 'passed' | 'lost' | 'accepted' | 'discarded' | 'failed'

/** `lost`: found before and not now. `no_document`: none of its documents is in the base any more. */
type GoldenOutcome = 'found' | 'lost' | 'not_found' | 'no_document'

export interface GoldenResult {
  questionId: string
  question: string
  outcome: GoldenOutcome
  /** The rank of the first expected passage, from 1; undefined if it is not among the first results. */
  rank?: number
  /** The rank to compare with; undefined if the passage was not found or the question not asked. */
  rankBefore?: number
  /** The document that was found first. */
  firstName?: string
}

export const goldenRuns = table('golden_runs', {
  workspaceId: text(),
  id: text(),
  knowledgeId: text(),
  generationId: text(),
  reason: text<GoldenReason>(),
  status: text<GoldenStatus>(),
  /** A question is found if the rank is not above this. */
  topK: integer(),
  total: integer(),
  done: integer(),
  hits: integer(),
  lost: integer(),
  mrr: real(),
  results: json<readonly GoldenResult[]>(),
  /** The retrieval settings before the change; for `retrieval` only. */
  previous: optional(json<Retrieval>()),
  error: text(),
  attempts: integer(),
  startedBy: text(),
  createdAt: integer(),
  finishedAt: optional(integer()),
  lease: optional(text()),
  dueAt: optional(integer()),
})

export type GoldenQuestion = Omit<RowOf<typeof goldenQuestions>, 'workspaceId'>
export type GoldenRun = Omit<RowOf<typeof goldenRuns>, 'workspaceId' | 'lease' | 'dueAt'>
