import type { FieldWords, KindCard } from './kind-card.ts'

const clauseFields: Readonly<Record<string, FieldWords>> = {
  left: {
    label: { en: 'Value', zh: '值' },
    help: { en: 'What is compared, usually a reference.', zh: '要比较的内容，通常是一个引用。' },
  },
  op: {
    label: { en: 'Comparison', zh: '比较方式' },
    options: {
      equals: { en: 'equals', zh: '等于' },
      not_equals: { en: 'does not equal', zh: '不等于' },
      contains: { en: 'contains', zh: '包含' },
      not_contains: { en: 'does not contain', zh: '不包含' },
      starts_with: { en: 'begins with', zh: '开头是' },
      ends_with: { en: 'ends with', zh: '结尾是' },
      empty: { en: 'is empty', zh: '为空' },
      not_empty: { en: 'is not empty', zh: '不为空' },
      gt: { en: 'is greater than', zh: '大于' },
      gte: { en: 'is at least', zh: '大于或等于' },
      lt: { en: 'is less than', zh: '小于' },
      lte: { en: 'is at most', zh: '小于或等于' },
      in: { en: 'is one of', zh: '是其中之一' },
    },
  },
  right: {
    label: { en: 'Compared with', zh: '比较对象' },
    help: {
      en: 'Not needed for "is empty" and "is not empty". For "is one of": a list, or a text with commas.',
      zh: '“为空”和“不为空”不需要。“是其中之一”可填列表，或用逗号分隔的文字。',
    },
  },
}

export const conditionCard: KindCard = {
  group: 'logic',
  title: { en: 'Condition', zh: '条件' },
  about: {
    en: 'Goes on with the first case that holds; a case without conditions is the else.',
    zh: '走第一个成立的分支；没有条件的分支就是“否则”。',
  },
  fields: {
    cases: {
      label: { en: 'Cases', zh: '分支' },
      help: {
        en: 'Tried in this order. Where none holds, everything behind them is skipped.',
        zh: '按顺序判断。都不成立时，后面的节点全部跳过。',
      },
      fields: {
        id: {
          label: { en: 'Id', zh: '标识' },
          help: { en: 'The case that edges name.', zh: '连线所对应的分支名。' },
        },
        match: {
          label: { en: 'Holds when', zh: '成立方式' },
          options: {
            all: { en: 'all conditions hold', zh: '满足全部条件' },
            any: { en: 'any condition holds', zh: '满足任一条件' },
          },
        },
        when: {
          label: { en: 'Conditions', zh: '条件' },
          help: { en: 'None makes it the else, which stands last.', zh: '不设条件就是“否则”，须放在最后。' },
          fields: clauseFields,
        },
      },
    },
  },
  data: {
    cases: [
      { id: 'case_1', match: 'all', when: [{ left: '{{#sys.query#}}', op: 'contains', right: '' }] },
      { id: 'else' },
    ],
  },
}
