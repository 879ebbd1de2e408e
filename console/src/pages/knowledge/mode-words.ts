import { defineWords } from '../../ui/words.ts'

/** The ways to search, wherever they are named. */
export const useModeWords = defineWords(
  {
    auto: 'Automatic',
    hybrid: 'Hybrid',
    keyword: 'Keywords',
    semantic: 'Semantic',
  },
  { auto: '自动', hybrid: '混合（关键词与语义）', keyword: '关键词', semantic: '语义' },
)
