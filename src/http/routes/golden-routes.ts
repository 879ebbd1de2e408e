import {
  goldenQuestionRecord,
  goldenResultRecord,
  goldenRunRecord,
  goldenOperations as operations,
} from '../../contract/golden-operations.ts'
import { pageAnswer } from '../../contract/paging.ts'
import { refuseBlank } from '../../kernel/app-error.ts'
import type { GoldenService, ShownQuestion } from '../../knowledge/golden/golden-service.ts'
import { type Route, route } from '../route.ts'
import { rowsAnswer } from '../rows-answer.ts'
import { wireReader, wireWriter } from '../wire.ts'

const questionFields = wireWriter(goldenQuestionRecord)
const runOnWire = wireWriter(goldenRunRecord)
const resultOnWire = wireWriter(goldenResultRecord)
const { question, file_ids, expected_text } = goldenQuestionRecord
const patchOf = wireReader({ question, file_ids, expected_text })

const questionOnWire = ({ documents, ...question }: ShownQuestion) =>
  questionFields({
    ...question,
    documents: documents.map(({ fileId, name = null }) => ({ file_id: fileId, name })),
  })

export function goldenRoutes(golden: GoldenService): Route[] {
  return [
    route(operations.goldenQuestions, ({ workspaceId, params, query }) =>
      pageAnswer(query, page => golden.list(workspaceId, params.knowledge_id, page), questionOnWire),
    ),
    route(operations.createGoldenQuestion, async ({ workspaceId, params, body }) => {
      refuseBlank(body.question, '/question')
      return questionOnWire(await golden.create(workspaceId, params.knowledge_id, patchOf(body)))
    }),
    route(operations.updateGoldenQuestion, async ({ workspaceId, params, body }) => {
      refuseBlank(body.question, '/question')
      const { knowledge_id, question_id } = params
      return questionOnWire(await golden.update(workspaceId, knowledge_id, question_id, patchOf(body)))
    }),
    route(operations.deleteGoldenQuestion, ({ workspaceId, params }) =>
      golden.remove(workspaceId, params.knowledge_id, params.question_id),
    ),
    route(operations.importGoldenQuestions, ({ workspaceId, params, body }) =>
      golden.importQuestions(workspaceId, params.knowledge_id, body.format, body.content),
    ),
    route(operations.exportGoldenQuestions, ({ workspaceId, params: { knowledge_id }, query: { format } }) =>
      rowsAnswer(
        golden.export(workspaceId, knowledge_id, format),
        format,
        `golden-questions-${knowledge_id}`,
      ),
    ),
    route(operations.runGoldenQuestions, async ({ workspaceId, params, token }) =>
      runOnWire(await golden.start(workspaceId, params.knowledge_id, token.name)),
    ),
    route(operations.goldenRuns, ({ workspaceId, params, query }) =>
      pageAnswer(query, page => golden.runs(workspaceId, params.knowledge_id, page), runOnWire),
    ),
    route(operations.goldenRun, async ({ workspaceId, params }) => {
      const { results, ...run } = await golden.run(workspaceId, params.knowledge_id, params.run_id)
      return { run: runOnWire(run), results: results.map(resultOnWire) }
    }),
    route(operations.acceptGoldenRun, async ({ workspaceId, params }) =>
      runOnWire(await golden.accept(workspaceId, params.knowledge_id, params.run_id)),
    ),
    route(operations.discardGoldenRun, async ({ workspaceId, params }) =>
      runOnWire(await golden.discard(workspaceId, params.knowledge_id, params.run_id)),
    ),
  ]
}
