import Type from 'typebox'
import { basePath, type Operation } from './operation.ts'
import { id } from './text.ts'

const workflowId = id('Workflow id.', 'wf_hello')
const coordinate = Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })
const place = Type.Object({ x: coordinate, y: coordinate })

/** Where an editor draws the nodes. It is kept beside the graph, which other clients own as well. */
export const layoutOperations = {
  get: {
    family: 'workflow',
    name: 'workflow.layout',
    method: 'GET',
    path: `${basePath}/workflow/layout`,
    access: 'read',
    summary: 'Where the nodes of a workflow are drawn',
    details: 'Nodes that nobody placed are left out. A layout is no part of the graph or of its versions.',
    query: Type.Object({ id: workflowId }),
    data: Type.Object({
      positions: Type.Unsafe<Record<string, { x: number; y: number }>>({
        type: 'object',
        additionalProperties: place,
        description: 'Left upper corner of each node, by its id.',
        examples: [{ llm_1: { x: 320, y: 80 } }],
      }),
    }),
  },
  place: {
    family: 'workflow',
    name: 'workflow.place',
    method: 'POST',
    path: `${basePath}/workflow/layout`,
    access: 'write',
    summary: 'Place nodes of a workflow',
    details:
      'Only the nodes that are named are placed; null forgets where one was. As many nodes are remembered as a graph can have; of more, those that were placed longest ago are forgotten.',
    body: Type.Object({
      id: workflowId,
      positions: Type.Unsafe<Record<string, { x: number; y: number } | null>>({
        type: 'object',
        additionalProperties: { anyOf: [place, { type: 'null' }] },
        description: 'By the id of the node.',
        examples: [{ llm_1: { x: 320, y: 80 } }],
      }),
    }),
    data: Type.Object({}),
    example: { id: 'wf_hello', positions: { llm_1: { x: 320, y: 80 } } },
  },
} as const satisfies Record<string, Operation>
