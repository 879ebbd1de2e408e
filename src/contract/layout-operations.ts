import { place, positionsField } from './fields.ts'
import { basePath, defineOperations } from './operation.ts'
import { Type } from './schema.ts'
import { workflowId } from './workflow-operations.ts'

/** Positions of nodes in the editor, stored apart from the graph, which other clients write too. */
export const layoutOperations = defineOperations('workflow', {
  layout: {
    method: 'GET',
    access: 'read',
    summary: 'Get the positions of the nodes of a workflow',
    details:
      'Nodes without a stored position are omitted. The layout is not part of the graph or its versions.',
    query: Type.Object({ id: workflowId }),
    data: Type.Object({
      positions: positionsField,
    }),
  },
  place: {
    path: `${basePath}/workflow/layout`,
    access: 'write',
    summary: 'Set the positions of nodes of a workflow',
    details:
      'Only the given nodes change; null removes a position. A workflow keeps as many positions as a graph can have nodes; beyond that the oldest are removed.',
    body: Type.Object({
      id: workflowId,
      positions: Type.Unsafe<Record<string, { x: number; y: number } | null>>({
        type: 'object',
        additionalProperties: { anyOf: [place, { type: 'null' }] },
        description: 'Positions by node id.',
        examples: [{ llm_1: { x: 320, y: 80 } }],
      }),
    }),
    data: Type.Object({}),
    example: { id: 'wf_hello', positions: { llm_1: { x: 320, y: 80 } } },
  },
})
