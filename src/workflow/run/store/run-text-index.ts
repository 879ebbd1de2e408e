import { searchText } from '../../../database/keyword.ts'
import { Columns, raw, sql } from '../../../database/sql.ts'
import { Store } from '../../../database/store.ts'
import { answerPreviewKey, maxListedAnswerBytes } from './journal-rows.ts'
import { questionLength, runs, storedQuestion } from './run-records.ts'

/** As long as the question: what people remember of an answer is how it begins. */
const indexedAnswerLength = questionLength

const preview = `SELECT body FROM run_contents
  WHERE workspace_id = runs.workspace_id AND run_id = runs.id AND key = '${answerPreviewKey}'`
const begin = `CASE WHEN octet_length(answer) > ${maxListedAnswerBytes}
  THEN COALESCE((${preview}), SUBSTR(answer, 1, 1000)) ELSE SUBSTR(answer, 1, 1000) END`
const columns = new Columns<{
  workspaceId: string
  id: string
  question: string
  answer: string
  inputs: string | null
}>(
  // The question of a run from before this index is in its inputs only.
  `workspace_id AS "workspaceId", id, question, ${begin} AS answer,
   CASE WHEN question = '' THEN inputs END AS inputs`,
  [],
)
const unindexed = raw('runs WHERE search IS NULL AND settled_at IS NOT NULL')
/** So many runs are indexed in one transaction: about 10 ms on SQLite. */
const runsPerTransaction = raw('16')

function questionOf(inputs: string | null): string {
  const { query } = JSON.parse(inputs ?? '{}') as { query?: unknown }
  return typeof query === 'string' ? storedQuestion(query) : ''
}

/**
 * Indexes how the question and the answer of settled runs begin. It is not part of the journal's last commit, because
 * splitting a text into sequences takes longer than all else that is stored of a short run.
 */
export class RunTextIndex extends Store {
  async index(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // By an index and at once: an idle server should not start a thread for it.
      if (!(await this.database.get(sql`SELECT ${runs.columns('id')} FROM ${unindexed} LIMIT 1`))) return
      const found = await this.database
        .background('')
        .all(sql`SELECT ${columns} FROM ${unindexed} ORDER BY settled_at LIMIT ${runsPerTransaction}`)
      await this.database.transaction(async transaction => {
        for (const { workspaceId, id, answer, inputs, ...run } of found) {
          const question = run.question || questionOf(inputs)
          const search = searchText(question, [...answer].slice(0, indexedAnswerLength).join(''))
          // A run that was resumed meanwhile is indexed again when it settles.
          await transaction.run(
            sql`UPDATE runs SET ${runs.set({ question, search })}
              WHERE ${runs.where({ workspaceId, id })} AND settled_at IS NOT NULL`,
          )
        }
      })
    }
  }
}
