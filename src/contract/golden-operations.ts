import {
  array,
  choice,
  count,
  id,
  integer,
  named,
  number,
  optional,
  orNull,
  string,
  text,
  time,
} from './fields.ts'
import { documentId, knowledgeId } from './knowledge-records.ts'
import { limits } from './limits.ts'
import { basePath, defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { Type } from './schema.ts'

const questionId = id('Golden question id.', 'gold_Zk3xV0m2q1c5b7n9d1f3gA')
const runId = id('Id of the run.', 'grun_Zk3xV0m2q1c5b7n9d1f3gA')

const question = text('The question, as a user would ask it.', [1, limits.goldenQuestionLength], {
  example: 'How many days of holiday?',
})
const expectedText = text(
  'Text that the passage must contain; case and white space do not matter. Empty: any passage of the document counts.',
  [0, limits.goldenTextLength],
  { example: '30 days' },
)
const fileIds = array(documentId, 'Expected documents; one of them must be found.', {
  min: 1,
  max: limits.goldenDocuments,
})

export const goldenQuestionRecord = {
  id: questionId,
  question,
  file_ids: fileIds,
  expected_text: expectedText,
  documents: array(
    Type.Object({
      file_id: documentId,
      name: orNull(Type.String(), 'File name; null if the document is no longer in the base.'),
    }),
    'The expected documents.',
  ),
  created_at: time('Creation time.'),
}
const questionRecord = named('GoldenQuestion', Type.Object(goldenQuestionRecord))

export const goldenRunRecord = {
  id: runId,
  reason: choice(
    ['manual', 'index', 'retrieval'],
    'manual: started by a user, compared with the last run that passed or was accepted; index: a new index is compared with the live one before it replaces it; retrieval: new search options are compared with the previous ones.',
  ),
  status: choice(
    ['queued', 'running', 'passed', 'lost', 'accepted', 'discarded', 'failed'],
    'passed: at most `golden_max_lost` questions are no longer found; `hits` says how many are found. lost: more of them are no longer found; accept or discard it. A new index waits for that.',
  ),
  top_k: count('A question counts as found if its rank is at most this: `top_k` of the base.', 5),
  total: count('Number of questions.', 20),
  done: count('Questions searched so far.', 20),
  hits: count('Questions that are found.', 18),
  lost: count('Questions that were found before and are no longer found.', 1),
  mrr: number(`Mean reciprocal rank within the first ${limits.goldenDepth} passages.`, 0.82),
  error: string('Why the questions could not be searched; empty if there was no error.', ''),
  started_by: string('Name of the token that started it; empty for a check of a change.', 'Editor'),
  created_at: time('Start time.'),
  finished_at: orNull(time('End time.'), 'End time, or null.'),
}
const run = named('GoldenRun', Type.Object(goldenRunRecord))

export const goldenResultRecord = {
  question_id: questionId,
  question,
  outcome: choice(
    ['found', 'lost', 'not_found', 'no_document'],
    'lost: found before, and not now; no_document: no expected document is in the base any more.',
  ),
  rank: orNull(Type.Integer(), 'Rank of the first expected passage, from 1; null if it was not found.', 2),
  rank_before: orNull(Type.Integer(), 'The rank in the run it is compared with, or null.', 1),
  first_name: orNull(Type.String(), 'File name of the passage that was found first, or null.', 'leave.md'),
}

const skipReasons = [
  'not_json',
  'no_question',
  'no_document',
  'unknown_document',
  'too_many_documents',
  'too_long',
  'duplicate',
  'exists',
] as const
export type SkipReason = (typeof skipReasons)[number]

const base = `${basePath}/knowledge/{knowledge_id}/golden` as const
const questionPath = `${base}/questions/{question_id}` as const
const params = Type.Object({ knowledge_id: knowledgeId })
const questionParams = Type.Object({ knowledge_id: knowledgeId, question_id: questionId })
const runParams = Type.Object({ knowledge_id: knowledgeId, run_id: runId })

export const goldenOperations = defineOperations('knowledge', {
  goldenQuestions: {
    method: 'GET',
    path: base,
    access: 'read',
    summary: 'List the golden questions of a knowledge base, oldest first',
    params,
    query: Type.Object(pagingFields),
    data: pageOf(questionRecord),
  },
  createGoldenQuestion: {
    path: `${base}/create`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['question', 'file_ids'] },
    summary: 'Add a golden question: a question and the documents that must be found',
    details: `Golden questions are searched in a new index before it replaces the old one. At most ${limits.goldenQuestions} per base; one that exists is rejected with already_exists.`,
    params,
    body: Type.Object({
      question,
      file_ids: fileIds,
      ...optional({ expected_text: expectedText }),
    }),
    creates: true,
    data: questionRecord,
    example: { question: 'How many days of holiday?', file_ids: ['file_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
  updateGoldenQuestion: {
    path: `${questionPath}/update`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['question_id', 'question', 'file_ids'] },
    summary: 'Change a golden question',
    details: 'Fields that are not sent keep their values.',
    params: questionParams,
    body: Type.Object(optional({ question, file_ids: fileIds, expected_text: expectedText })),
    data: questionRecord,
    example: { expected_text: '30 days' },
  },
  deleteGoldenQuestion: {
    path: `${questionPath}/delete`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['question_id'] },
    summary: 'Delete a golden question',
    params: questionParams,
    data: Type.Object({}),
  },
  importGoldenQuestions: {
    path: `${base}/import`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['format'] },
    summary: 'Import golden questions from CSV or JSON',
    details:
      'Columns of the CSV, or members of each JSON object: `question`, `document` (file id or file name; in CSV several are separated by `|`, in JSON they are a list) and `text`. Invalid lines are reported.',
    params,
    body: Type.Object({
      format: choice(['csv', 'jsonl'], 'jsonl: one JSON object per line, or a JSON array of objects.'),
      content: text('The lines.', [1, limits.goldenImportLength]),
    }),
    bodyLimit: 8 << 20,
    creates: true,
    data: Type.Object({
      added: count('Questions that were added.', 1),
      skipped: array(
        Type.Object({
          line: integer('Line, from 1; the position in a JSON array.', 3),
          reason: choice(skipReasons, 'duplicate: listed twice in this import; exists: already in the base.'),
          message: string('The reason in words.'),
        }),
        'Lines that were skipped.',
        { example: [] },
      ),
    }),
    example: { format: 'csv', content: 'question,document\nHow many days of holiday?,holidays.md\n' },
  },
  exportGoldenQuestions: {
    method: 'GET',
    path: `${base}/export`,
    access: 'read',
    summary: 'Export the golden questions of a knowledge base as CSV or JSON lines',
    details:
      'In the format that import accepts. Documents are given by name, so that the questions can be imported into another base with the same documents; removed documents by id.',
    params,
    query: Type.Object({ format: choice(['csv', 'jsonl'], 'Format of the file.', { example: 'csv' }) }),
    answers: 'text/csv',
  },
  runGoldenQuestions: {
    path: `${base}/run`,
    access: 'write',
    summary: 'Run all golden questions now',
    details: `Runs in the background: poll the run. The last ${limits.keptGoldenRuns} runs of a base are kept.`,
    params,
    body: Type.Object({}),
    creates: true,
    data: run,
  },
  goldenRuns: {
    method: 'GET',
    path: `${base}/runs`,
    access: 'read',
    summary: 'List the runs of golden questions, newest first',
    params,
    query: Type.Object(pagingFields),
    data: pageOf(run),
  },
  goldenRun: {
    method: 'GET',
    path: `${base}/runs/{run_id}`,
    access: 'read',
    summary: 'Get a run of golden questions with the result of each question',
    params: runParams,
    data: Type.Object({
      run,
      results: array(
        named('GoldenResult', Type.Object(goldenResultRecord)),
        'In the order of the questions.',
      ),
    }),
  },
  acceptGoldenRun: {
    path: `${base}/runs/{run_id}/accept`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['run_id'] },
    summary: 'Accept a run although golden questions were lost',
    details:
      'If a new index waits for the decision, it replaces the old one. Later manual runs are compared with the accepted run.',
    params: runParams,
    data: run,
  },
  discardGoldenRun: {
    path: `${base}/runs/{run_id}/discard`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['run_id'] },
    summary: 'Discard the change that lost golden questions',
    details:
      'Restores the previous settings of the base: chunking and embedding for a new index, or the search options. A manual run is only marked.',
    params: runParams,
    data: run,
  },
})
