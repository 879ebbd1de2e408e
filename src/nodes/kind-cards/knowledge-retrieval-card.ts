import type { KindCard } from './kind-card.ts'

export const knowledgeRetrievalCard: KindCard = {
  group: 'data',
  title: { en: 'Knowledge retrieval', zh: '知识检索' },
  about: { en: 'Finds passages in knowledge bases.', zh: '在知识库中查找相关段落。' },
  fields: {
    query: {
      label: { en: 'Question', zh: '查询内容' },
      help: { en: 'What is looked for.', zh: '要查找的内容。' },
    },
    knowledge_ids: {
      label: { en: 'Knowledge bases', zh: '知识库' },
      help: {
        en: 'Where it is looked for. A reference may give one id or a list of them.',
        zh: '在哪些知识库中查找。引用可以给出一个或多个 id。',
      },
    },
    top_k: {
      label: { en: 'Most passages', zh: '最多段落数' },
      help: {
        en: 'From 1 to 50; as the knowledge base is set up where it is not set.',
        zh: '1 到 50；不填时按知识库的设置。',
      },
    },
    mode: {
      label: { en: 'How it searches', zh: '检索方式' },
      help: { en: 'As the knowledge base is set up where it is not set.', zh: '不填时按知识库的设置。' },
      options: {
        hybrid: { en: 'By words and by meaning', zh: '混合' },
        keyword: { en: 'By words', zh: '关键词' },
        semantic: { en: 'By meaning', zh: '语义' },
      },
    },
    score_threshold: {
      label: { en: 'Least score', zh: '最低得分' },
      help: {
        en: 'From 0 to 1; passages below it are left out.',
        zh: '0 到 1，低于此分的段落不取。',
      },
    },
  },
  data: { query: '{{#sys.query#}}', knowledge_ids: [] },
}
