import { defineKind } from './kind-definition.ts'

export const input = defineKind({
  kind: 'input',
  nodeType: 'base',
  group: 'talk',
  en: ['Input', "Starts with the user's message and files."],
  zh: ['输入', '流程从这里开始，接收用户的消息和文件。'],
  fields: {},
  required: [],
  initialData: {},
  outputs: () => ['query', 'text', 'result', 'files', 'inputs'],
  run({ system: { query, files, inputs } }) {
    return { outputs: { query, text: query, result: query, files, inputs } }
  },
})
