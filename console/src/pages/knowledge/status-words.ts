import { defineWords } from '../../ui/words.ts'

/** How far a document can be. */
export const useStatusWords = defineWords(
  {
    queued: 'Queued',
    parsing: 'Parsing',
    chunking: 'Chunking',
    embedding: 'Embedding',
    ready: 'Ready',
    failed: 'Failed',
    disabled: 'Disabled',
  },
  {
    queued: '排队中',
    parsing: '解析中',
    chunking: '切分中',
    embedding: '向量化中',
    ready: '就绪',
    failed: '失败',
    disabled: '已停用',
  },
)
