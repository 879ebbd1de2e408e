import type { KindCard } from './kind-card.ts'

export const webSearchCard: KindCard = {
  group: 'tools',
  title: { en: 'Web search', zh: '联网搜索' },
  about: { en: 'Asks the search service.', zh: '通过搜索服务在网上查找。' },
  fields: {
    query: {
      label: { en: 'Question', zh: '搜索内容' },
      help: { en: 'What is looked for.', zh: '要搜索的内容。' },
    },
  },
  data: { query: '{{#sys.query#}}' },
}
