import type { KindCard } from './kind-card.ts'

export const questionCard: KindCard = {
  group: 'talk',
  title: { en: 'Question', zh: '提问' },
  about: { en: 'Asks the user and waits for the answer.', zh: '向用户提问，等到回答后再继续。' },
  fields: {
    question: {
      label: { en: 'Question', zh: '问题' },
      help: { en: 'What the user is asked.', zh: '向用户提出的问题。' },
    },
    options: {
      label: { en: 'Options', zh: '选项' },
      help: {
        en: 'Answers to choose from; the user may also write something else. A reference may give a whole list.',
        zh: '供用户选择的回答，用户也可以另写。一个引用也可以给出整个列表。',
      },
    },
  },
  // Works in either language until its author writes a better one.
  data: { question: 'Could you tell me more? 可以再说详细一些吗？', options: [] },
}
