import type { JsonRecord } from '../workflow/node-kind.ts'
import { defineKind, field, valuesByName } from './kind-definition.ts'
import { readRecord } from './read-setting.ts'

/** Without `outputs` the engine collects the outputs of the run here. No reference can name this node. */
export const end = defineKind({
  kind: 'end',
  nodeType: 'base',
  group: 'talk',
  en: ['End', 'Ends the run. The outputs of the nodes connected to it are the outputs of the run.'],
  zh: ['结束', '结束运行。连到它的节点的输出就是整个运行的输出。'],
  fields: {
    outputs: field(
      valuesByName,
      ['Outputs', 'By name. If set, they replace the outputs of the nodes connected to it.'],
      ['输出', '按名称填写，代替所连节点的输出。'],
    ),
  },
  required: [],
  initialData: {},
  outputs: () => [],
  gathers: data => Object.keys(readRecord(data, 'outputs')),
  run: (step, data) => ({ outputs: { ...(step.fill(readRecord(data, 'outputs')) as JsonRecord) } }),
})
