import Type from 'typebox'
import { limits } from './limits.ts'

/**
 * The graph as the contract draws it, for the reference. It is not what validates: the rules of a graph
 * reach across nodes and edges and must report every finding at once (src/workflow/refuse-graph.ts).
 */
export const graphSchema = Type.Object(
  {
    nodes: Type.Array(
      Type.Object(
        {
          id: Type.String({
            description: 'Unique within the workflow; `input` and `end` are kept for those kinds.',
          }),
          type: Type.String({ description: 'Category: base, tool or embody.' }),
          data: Type.Object(
            {
              type: Type.Optional(
                Type.String({ description: 'Kind of node, such as input, llm, output, web_search, end.' }),
              ),
              title: Type.Optional(Type.String()),
              desc: Type.Optional(Type.String()),
            },
            {
              additionalProperties: true,
              description: 'Settings of the kind. Unknown fields are kept as they are.',
            },
          ),
        },
        { additionalProperties: true },
      ),
      { maxItems: limits.graphNodes },
    ),
    edges: Type.Array(
      Type.Object(
        {
          source: Type.Object({
            cell: Type.String({ description: 'Id of the node the edge leaves.' }),
            port: Type.String({ description: '`out.<cell>`' }),
          }),
          target: Type.Object({
            cell: Type.String({ description: 'Id of the node the edge enters.' }),
            port: Type.String({ description: '`in.<cell>`' }),
          }),
          data: Type.Optional(
            Type.Object(
              { case: Type.Optional(Type.String({ description: 'Case of a branching node.' })) },
              { additionalProperties: true },
            ),
          ),
        },
        { additionalProperties: true },
      ),
      { maxItems: limits.graphEdges },
    ),
  },
  { additionalProperties: true, description: 'A graph of nodes joined by edges. It is kept verbatim.' },
)

/** Stands for the graph inside a request: only that it is an object is checked here. */
export const graphField = (description: string) =>
  Type.Unsafe<object>({ type: 'object', description, 'x-schema': 'Graph' })
