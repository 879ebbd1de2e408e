import type { KindCard } from './kind-card.ts'

export const inputCard: KindCard = {
  group: 'talk',
  title: { en: 'Input', zh: '输入' },
  about: { en: 'Takes what the user said and sent.', zh: '接收用户说的话和发来的文件，流程从这里开始。' },
  fields: {},
  data: {},
}
