import type { KindCard } from './kind-card.ts'

export const variableCard: KindCard = {
  group: 'logic',
  title: { en: 'Variable', zh: '记忆变量' },
  about: {
    en: 'Remembers values for later turns of the conversation.',
    zh: '把值记下来，供之后各轮对话使用。',
  },
  fields: {
    assign: {
      label: { en: 'Values', zh: '变量' },
      help: {
        en: 'By name; later turns refer to one as memory.name.',
        zh: '按名称填写，之后用 memory.名称 引用。',
      },
    },
  },
  data: { assign: { last_query: '{{#sys.query#}}' } },
}
