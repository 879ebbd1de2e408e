import { agentId } from './agent-operations.ts'
import { array, boolean, choice, id, integer, named, optional, orNull, string, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { Type } from './schema.ts'

const annotationId = id('Annotation id.', 'note_Zk3xV0m2q1c5b7n9d1f3gA')
const question = text(
  'The question. Case, space and punctuation do not matter.',
  [1, limits.annotationQuestionLength],
  { example: 'How many days of leave do I have?' },
)
const answer = text('The answer that is given to it.', [1, limits.annotationAnswerLength], {
  example: 'You have 20 days of leave a year.',
})
const format = choice(['csv', 'jsonl'], 'CSV begins with a line of column names.', { example: 'csv' })

export const annotationRecord = {
  id: annotationId,
  agent_id: agentId,
  question,
  answer,
  hits: integer('How often it answered.', 3),
  last_hit_at: orNull(time('When it answered last.'), 'When it answered last, or null.'),
  created_at: time('Creation time.'),
  updated_at: time('Time of the last change.'),
  updated_by: string('Name of the token that last changed it.', 'Editor'),
}
const skipReasons = ['not_json', 'no_question', 'no_answer', 'too_long'] as const
export type AnnotationSkipReason = (typeof skipReasons)[number]

const importedText = {
  agent_id: agentId,
  format,
  content: text('The text.', [1, limits.importedTextLength], { example: 'question,answer\nHi,Hello!\n' }),
}
const imported = Type.Object({
  added: integer('Number of new annotations.', 1),
  updated: integer('Number of annotations that get another answer.', 0),
  skipped: array(
    Type.Object({
      line: integer('Line, from 1.', 3),
      reason: choice(skipReasons, 'Why it is not an annotation.'),
      message: string('The reason in words.', '`answer` is missing'),
    }),
    'Lines that are not annotations.',
    { example: [] },
  ),
})
const importExample = {
  ...{ agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA', format: 'csv' },
  content: 'question,answer\nHi,Hello!\n',
} as const

const annotation = named('Annotation', Type.Object(annotationRecord))

export const annotationOperations = defineOperations('annotation', {
  create: {
    access: 'write',
    changes: { id: 'data.id', shows: ['agent_id', 'question'] },
    summary: 'Set the answer of an agent to a question',
    details:
      'The same question is answered with it from now on, at once and without a model, on every way to the agent. A question that has an answer gets this one instead. How similar other questions may be is `config.annotation_threshold` of the agent.',
    body: Type.Object({ agent_id: agentId, question, answer }),
    creates: true,
    data: annotation,
    example: {
      agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA',
      question: 'How many days of leave do I have?',
      answer: 'You have 20 days of leave a year.',
    },
  },
  update: {
    access: 'write',
    changes: { id: 'body.id', shows: ['question'] },
    summary: 'Change an annotation',
    body: Type.Object({ id: annotationId, ...optional({ question, answer }) }),
    data: annotation,
    example: { id: 'note_Zk3xV0m2q1c5b7n9d1f3gA', answer: 'You have 25 days of leave a year.' },
  },
  delete: {
    access: 'write',
    changes: { id: 'body.id' },
    summary: 'Delete an annotation',
    body: Type.Object({ id: annotationId }),
    data: Type.Object({}),
    example: { id: 'note_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  list: {
    access: 'write',
    summary: 'List the annotations of an agent, newest first',
    body: Type.Object({
      agent_id: agentId,
      ...optional({
        keyword: text('Part of the question or the answer, or the id.', [0, limits.nameLength]),
      }),
      ...pagingFields,
    }),
    data: pageOf(annotation),
    example: { agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  import: {
    access: 'write',
    changes: { id: 'body.agent_id', shows: ['format'] },
    bodyLimit: limits.messageBytes,
    summary: 'Add annotations of a CSV or JSON lines text',
    details:
      'Columns or fields: `question` and `answer`. A question that has an answer gets the imported one. All annotations are stored, or none: a line that is not an annotation is an error, unless `skip_invalid` is true.',
    body: Type.Object({
      ...importedText,
      ...optional({ skip_invalid: boolean('Whether lines that are not annotations are left out.') }),
    }),
    creates: true,
    data: imported,
    example: importExample,
  },
  preview: {
    access: 'write',
    bodyLimit: limits.messageBytes,
    summary: 'Check a text before it is imported',
    details: 'What `annotation.import` with `skip_invalid` would do. Nothing is stored.',
    body: Type.Object(importedText),
    data: imported,
    example: importExample,
  },
  export: {
    method: 'GET',
    access: 'write',
    summary: 'Export the annotations of an agent as CSV or JSON lines',
    details: 'Cells that a spreadsheet would evaluate begin with an apostrophe, which import removes again.',
    query: Type.Object({ agent_id: agentId, format }),
    answers: 'text/csv',
  },
})
