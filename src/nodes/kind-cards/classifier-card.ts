import type { KindCard } from './kind-card.ts'

export const classifierCard: KindCard = {
  group: 'model',
  title: { en: 'Classifier', zh: '分类' },
  about: {
    en: 'Lets the model choose the way on by what a text is about.',
    zh: '让模型判断一段文字属于哪一类，再走对应的分支。',
  },
  fields: {
    query: {
      label: { en: 'Text', zh: '文本' },
      help: { en: 'What is judged.', zh: '要判断的内容。' },
    },
    classes: {
      label: { en: 'Classes', zh: '类别' },
      help: {
        en: 'Where none fits well, the last one is taken.',
        zh: '都不太合适时，取最后一个。',
      },
      fields: {
        id: {
          label: { en: 'Id', zh: '标识' },
          help: { en: 'The case that edges name.', zh: '连线所对应的分支名。' },
        },
        description: {
          label: { en: 'Description', zh: '说明' },
          help: { en: 'What belongs to it, in words.', zh: '用一句话说明哪些内容属于此类。' },
        },
      },
    },
    model: {
      label: { en: 'Model', zh: '模型' },
      help: { en: 'The default model where it is not set.', zh: '不填时使用默认模型。' },
    },
  },
  data: {
    query: '{{#sys.query#}}',
    classes: [
      { id: 'class_1', description: '' },
      { id: 'other', description: '' },
    ],
  },
}
