import { agentId } from './agent-operations.ts'
import { array, boolean, choice, id, integer, named, optional, orNull, string, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { Type } from './schema.ts'

const annotationId = id('Annotation id.', 'note_Zk3xV0m2q1c5b7n9d1f3gA')
const question = text(
  'The question. Case, spaces and punctuation do not matter.',
  [1, limits.annotationQuestionLength],
  { example: 'How many days of leave do I have?' },
)
const answer = text('The answer to the question.', [1, limits.annotationAnswerLength], {
  example: 'You have 20 days of leave a year.',
})
const format = choice(['csv', 'jsonl'], 'CSV begins with a line of column names.', { example: 'csv' })

export const annotationRecord = {
  id: annotationId,
  agent_id: agentId,
  question,
  answer,
  hits: integer('How often the annotation was used.', 3),
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
  updated: integer('Number of annotations whose answer changes.', 0),
  skipped: array(
    Type.Object({
      line: integer('Line, from 1.', 3),
      reason: choice(skipReasons, 'Reason code.'),
      message: string('The reason in words.', '`answer` is missing'),
    }),
    'Invalid lines.',
    { example: [] },
  ),
})
const annotation = named('Annotation', Type.Object(annotationRecord))

export const annotationOperations = defineOperations('annotation', {
  create: {
    access: 'write',
    changes: { id: 'data.id', shows: ['agent_id', 'question'] },
    summary: 'Add an annotation: a fixed answer to a question',
    details:
      'From now on, the agent gives this answer to the question at once and without a model, in every channel. If the question already has an annotation, its answer is replaced. `config.annotation_threshold` of the agent determines how similar other questions may be.',
    body: Type.Object({ agent_id: agentId, question, answer }),
    creates: true,
    data: annotation,
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
  },
  import: {
    access: 'write',
    changes: { id: 'body.agent_id', shows: ['format'] },
    bodyLimit: limits.messageBytes,
    summary: 'Import annotations from a CSV or JSON lines text',
    details:
      'Columns or fields: `question` and `answer`. If a question already has an annotation, its answer is replaced. Either all annotations are stored or none: an invalid line is an error, unless `skip_invalid` is true.',
    body: Type.Object({
      ...importedText,
      ...optional({ skip_invalid: boolean('Whether to skip invalid lines.') }),
    }),
    creates: true,
    data: imported,
  },
  preview: {
    access: 'write',
    bodyLimit: limits.messageBytes,
    summary: 'Check a text before it is imported',
    details: 'What `annotation.import` with `skip_invalid` would do. Nothing is stored.',
    body: Type.Object(importedText),
    data: imported,
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
