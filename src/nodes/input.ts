import type { KindDefinition } from './kind-definition.ts'

export const input: KindDefinition<unknown> = {
  kind: 'input',
  nodeType: 'base',
  group: 'talk',
  label: { en: 'Input', zh: '输入' },
  about: { en: "Starts with the user's message and files.", zh: '流程从这里开始，接收用户的消息和文件。' },
  fields: {},
  required: [],
  initialData: {},
  outputs: () => ['query', 'text', 'result', 'files', 'inputs'],
  run({ system: { query, files, inputs } }) {
    return { outputs: { query, text: query, result: query, files, inputs } }
  },
}
