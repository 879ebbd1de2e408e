import type { NodeKind } from '../workflow/node-kind.ts'
import { readText } from './read-setting.ts'

/** Puts a text together without saying it. */
export const template: NodeKind<unknown> = {
  kind: 'template',
  nodeType: 'base',
  title: 'Template',
  fields: { template: { is: 'template', input: 'paragraph' } },
  required: ['template'],
  outputs: () => ['text', 'result'],
  run(step, data) {
    const text = step.text(readText(data, 'template'))
    return { outputs: { text, result: text } }
  },
}
