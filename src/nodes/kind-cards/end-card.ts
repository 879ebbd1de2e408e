import type { KindCard } from './kind-card.ts'

export const endCard: KindCard = {
  group: 'talk',
  title: { en: 'End', zh: '结束' },
  about: {
    en: 'Closes the run. The outputs of the nodes wired into it are the outputs of the run.',
    zh: '结束运行。连到它的节点的输出就是整个运行的输出。',
  },
  fields: {},
  data: {},
}
