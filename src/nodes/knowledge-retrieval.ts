import type { SearchMode } from '../knowledge/knowledge-base.ts'
import { type JsonRecord, type NodeKind, ownValue } from '../workflow/node-kind.ts'
import { type Step, StepFailure } from '../workflow/step.ts'
import { findPassages, passagesText } from './find-passages.ts'
import type { NodeServices } from './node-services.ts'
import { choiceGaps, numberGaps, readList, readNumber, readText } from './read-setting.ts'

const modes: readonly SearchMode[] = ['hybrid', 'keyword', 'semantic']

/** Finds passages in knowledge bases. */
export const knowledgeRetrieval: NodeKind<NodeServices> = {
  kind: 'knowledge_retrieval',
  nodeType: 'tool',
  title: 'Knowledge retrieval',
  fields: {
    query: { is: 'template', input: 'paragraph' },
    knowledge_ids: { is: 'list', of: { is: 'template', input: 'knowledge' } },
    top_k: { is: 'number' },
    mode: { is: 'text', options: modes },
    score_threshold: { is: 'number' },
  },
  required: ['query', 'knowledge_ids'],
  gaps: data => [
    ...numberGaps(data, 'top_k', { from: 1, to: 50, whole: true }),
    ...choiceGaps(data, 'mode', modes),
    ...numberGaps(data, 'score_threshold', { from: 0, to: 1 }),
  ],
  outputs: () => ['result', 'items', 'text'],
  attempts: 3,
  async run(step, data, services) {
    const items = await findPassages(step, services, {
      query: step.text(readText(data, 'query')),
      knowledgeIds: readKnowledgeIds(step, data),
      topK: readNumber(data, 'top_k'),
      mode: ownValue(data, 'mode') as SearchMode | undefined,
      scoreThreshold: readNumber(data, 'score_threshold'),
    })
    const result = passagesText(items)
    return { outputs: { result, items, text: result } }
  },
}

/** An element may be a reference to one id or to a list of them. */
function readKnowledgeIds(step: Step, data: JsonRecord): string[] {
  const ids = readList(data, 'knowledge_ids')
    .flatMap(element => step.fill(element))
    .filter(id => typeof id === 'string')
    .map(id => id.trim())
    .filter(id => id !== '')
  if (ids.length > 0) return ids
  const message = 'No knowledge base is named after the references in "knowledge_ids" were filled in.'
  throw new StepFailure('step_failed', message)
}
