import type { LocalizedText } from '../contract/kind-operations.ts'
import type { SearchMode } from '../knowledge/knowledge-base.ts'
import { type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { type Step, stepFailed } from '../workflow/step.ts'
import { choice, defineKind, field, number, paragraph, wholeNumber } from './kind-definition.ts'
import { knowledgeIn } from './llm/sources.ts'
import { findPassages, passagesText } from './passages.ts'
import { readList, readNumber, readText } from './read-setting.ts'

const modes: Readonly<Record<SearchMode, LocalizedText>> = {
  hybrid: { en: 'Hybrid', zh: '混合' },
  keyword: { en: 'Keyword', zh: '关键词' },
  semantic: { en: 'Semantic', zh: '语义' },
}

export const knowledgeRetrieval = defineKind({
  kind: 'knowledge_retrieval',
  nodeType: 'tool',
  group: 'tools',
  en: ['Knowledge retrieval', 'Finds passages in knowledge bases.'],
  zh: ['知识检索', '在知识库中查找相关段落。'],
  fields: {
    query: field(paragraph, ['Query', 'The search query.'], ['查询内容', '要查找的内容。']),
    knowledge_ids: field(
      { is: 'list', of: { is: 'template', input: 'knowledge' } },
      ['Knowledge bases', 'Knowledge bases to search. A reference may supply one ID or a list of them.'],
      ['知识库', '在哪些知识库中查找。引用可以给出一个或多个 ID。'],
    ),
    top_k: field(
      wholeNumber(1, 50),
      ['Max results', 'From 1 to 50; uses the setting of the knowledge base if empty.'],
      ['最多段落数', '1 到 50；不填时按知识库的设置。'],
    ),
    mode: field(
      choice(modes),
      ['Search mode', 'Uses the setting of the knowledge base if empty.'],
      ['检索方式', '不填时按知识库的设置。'],
    ),
    score_threshold: field(
      number(0, 1),
      ['Minimum score', 'From 0 to 1; passages with a lower score are dropped.'],
      ['最低得分', '0 到 1，低于此分的段落不取。'],
    ),
    history_turns: field(
      wholeNumber(0, 50),
      [
        'Conversation history (turns)',
        'Also searches with up to two earlier messages of this many turns, for follow-up questions; none if empty.',
      ],
      ['历史轮数', '再结合最近这么多轮中用户的最多两条消息检索一次，便于理解追问；不填则不结合。'],
    ),
  },
  required: ['query', 'knowledge_ids'],
  initialData: { query: '{{#sys.query#}}', knowledge_ids: [] },
  knowledge: data => knowledgeIn(data, 'knowledge_ids'),
  outputs: () => ['result', 'items', 'text'],
  attempts: 3,
  async run(step, data, services) {
    const topK = readNumber(data, 'top_k')
    const mode = (ownValue(data, 'mode') ?? undefined) as SearchMode | undefined
    const scoreThreshold = readNumber(data, 'score_threshold')
    // Settings that the author left out are left to the knowledge base.
    const items = await findPassages(step, services, readKnowledgeIds(step, data), {
      query: step.text(readText(data, 'query')),
      historyTurns: readNumber(data, 'history_turns') ?? 0,
      missing: 'fails',
      ...(topK !== undefined && { topK }),
      ...(mode !== undefined && { mode }),
      ...(scoreThreshold !== undefined && { scoreThreshold }),
    })
    const result = passagesText(items)
    return { outputs: { result, items, text: result } }
  },
})

/** An element may be a reference to one id or to a list of them. */
function readKnowledgeIds(step: Step, data: JsonRecord): string[] {
  const ids = readList(data, 'knowledge_ids')
    .flatMap(element => step.fill(element))
    .filter(id => typeof id === 'string')
    .map(id => id.trim())
    .filter(id => id !== '')
  if (ids.length > 0) return ids
  throw stepFailed('"knowledge_ids" is empty after its references were replaced; choose a knowledge base.')
}
