import type { FoundChunk } from '../../src/knowledge/chunk-store.ts'
import type { SearchItem, SearchRequest, SearchResult } from '../../src/knowledge/search/search-request.ts'
import type { NodeServices } from '../../src/nodes/node-services.ts'

export function foundItem(id: string, score: number, more: Partial<FoundChunk> = {}): SearchItem {
  const chunk: FoundChunk = {
    id,
    fileId: `file_${id}`,
    fileName: `${id}.md`,
    batchId: 'batch',
    position: 0,
    content: `content of ${id}`,
    heading: [],
    from: 0,
    to: 10,
    tokens: 3,
    enabled: true,
    edited: false,
    metadata: {},
    ...more,
  }
  return { chunk, score, scores: { keyword: score }, highlights: [] }
}

/** Knowledge bases by id, each of which finds the same whatever it is asked; remembers what it was asked. */
export function fakeKnowledge(bases: Record<string, SearchItem[]>): {
  searchKnowledge: NodeServices['searchKnowledge']
  asked: { knowledgeId: string; request: SearchRequest }[]
} {
  const asked: { knowledgeId: string; request: SearchRequest }[] = []
  return {
    asked,
    async searchKnowledge(_workspaceId, knowledgeId, request): Promise<SearchResult> {
      asked.push({ knowledgeId, request })
      const items = bases[knowledgeId]!.slice(0, request.topK ?? 5)
      return { mode: 'keyword', tookMilliseconds: 1, items, warning: undefined, explanation: undefined }
    },
  }
}
