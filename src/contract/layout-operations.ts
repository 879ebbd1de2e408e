import { optional, place, positionsField, shapesExample, shapesField } from './fields.ts'
import type { LayoutShape } from './layout-shape.ts'
import { basePath, defineOperations } from './operation.ts'
import { Type } from './schema.ts'
import { workflowId } from './workflow-records.ts'

/** Positions of nodes, notes and groups in the editor, stored apart from the graph, which other clients write too. */
export const layoutOperations = defineOperations('workflow', {
  layout: {
    method: 'GET',
    access: 'read',
    summary: 'Get the positions of the nodes of a workflow, its sticky notes and groups',
    details:
      'Nodes without a stored position are omitted. The layout is not part of the graph or its versions.',
    query: Type.Object({ id: workflowId }),
    data: Type.Object({
      positions: positionsField,
      shapes: shapesField,
    }),
  },
  place: {
    path: `${basePath}/workflow/layout`,
    access: 'write',
    summary: 'Set positions of nodes of a workflow, sticky notes and groups',
    details:
      'Only the given nodes, notes and groups change; null removes a position, a note or a group. A workflow keeps as many positions as a graph can have nodes; beyond that the oldest are removed.',
    body: Type.Object({
      id: workflowId,
      ...optional({
        positions: Type.Unsafe<Record<string, { x: number; y: number } | null>>({
          type: 'object',
          additionalProperties: { anyOf: [place, { type: 'null' }] },
          description: 'Positions by node id.',
          examples: [{ llm_1: { x: 320, y: 80 } }],
        }),
        shapes: Type.Unsafe<Record<string, LayoutShape | null>>({
          type: 'object',
          additionalProperties: { anyOf: [{ type: 'object' }, { type: 'null' }] },
          description: 'Sticky notes and groups by their ids, in the form in which they are read.',
          examples: [shapesExample],
        }),
      }),
    }),
    data: Type.Object({}),
    example: { id: 'wf_hello', positions: { llm_1: { x: 320, y: 80 } } },
  },
})
