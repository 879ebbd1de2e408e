import type { KindCard } from './kind-card.ts'

export const actionCard: KindCard = {
  group: 'talk',
  title: { en: 'Action', zh: '动作' },
  about: {
    en: "Tells the program on the user's side to do something.",
    zh: '让用户那一端的程序去做一件事，例如控制设备或界面。',
  },
  fields: {
    content: {
      label: { en: 'Content', zh: '内容' },
      help: {
        en: 'JSON that the program understands. What references insert between quotes is escaped.',
        zh: '程序能理解的 JSON。插在引号之间的引用会自动转义。',
      },
    },
  },
  data: { content: '{"do": "show", "words": "{{#sys.query#}}"}' },
}
