import type { KindCard } from './kind-card.ts'

export const templateCard: KindCard = {
  group: 'data',
  title: { en: 'Template', zh: '文本模板' },
  about: { en: 'Puts a text together without saying it.', zh: '拼出一段文字供后面使用，不会说给用户。' },
  fields: {
    template: {
      label: { en: 'Text', zh: '文本' },
      help: { en: 'References in it are replaced.', zh: '其中的引用会被替换。' },
    },
  },
  data: { template: '{{#sys.query#}}' },
}
