import { defineKind } from './kind-definition.ts'

/** The engine collects the outputs of the run here, so the node itself gives none and cannot be referred to. */
export const end = defineKind({
  kind: 'end',
  nodeType: 'base',
  group: 'talk',
  en: ['End', 'Ends the run. The outputs of the nodes connected to it are the outputs of the run.'],
  zh: ['结束', '结束运行。连到它的节点的输出就是整个运行的输出。'],
  fields: {},
  required: [],
  initialData: {},
  outputs: () => [],
  gathers: true,
  run: () => ({ outputs: {} }),
})
