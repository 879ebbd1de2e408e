import type { KindCard } from './kind-card.ts'

export const outputCard: KindCard = {
  group: 'talk',
  title: { en: 'Output', zh: '回复' },
  about: { en: 'Speaks to the user, piece by piece.', zh: '向用户说话，内容边生成边送出。' },
  fields: {
    answer: {
      label: { en: 'Answer', zh: '回复内容' },
      help: {
        en: 'What is said. References to a language model are spoken while it still writes.',
        zh: '要说的话。引用大模型的输出时，会随着生成逐字送出。',
      },
    },
  },
  data: { answer: '{{#sys.query#}}' },
}
