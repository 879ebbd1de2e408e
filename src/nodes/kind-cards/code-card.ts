import type { KindCard } from './kind-card.ts'

export const codeCard: KindCard = {
  group: 'data',
  title: { en: 'Code', zh: '代码' },
  about: {
    en: 'Runs a JavaScript function that the author wrote, where it can reach nothing but its inputs.',
    zh: '运行自己写的 JavaScript 函数；它只能接触到自己的输入。',
  },
  fields: {
    code: {
      label: { en: 'Code', zh: '代码' },
      help: {
        en: 'A function main(inputs) that returns the result; fields of an object that it returns become outputs.',
        zh: '写一个返回结果的函数 main(inputs)；若返回对象，其各字段即为输出。',
      },
    },
    inputs: {
      label: { en: 'Inputs', zh: '输入' },
      help: { en: 'What main is handed, by name.', zh: '交给 main 的内容，按名称填写。' },
    },
  },
  data: {
    code: 'function main(inputs) {\n  return { text: inputs.query.trim() }\n}\n',
    inputs: { query: '{{#sys.query#}}' },
  },
}
