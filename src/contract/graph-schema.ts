import Type from 'typebox'
import { optional, string } from './fields.ts'
import { limits } from './limits.ts'

/**
 * The graph for the API reference. It does not validate: the rules of a graph span nodes and edges, and every
 * finding must be reported at once, which src/workflow does.
 */
export const graphSchema = Type.Object(
  {
    nodes: Type.Array(
      Type.Object(
        {
          id: string('Unique within the workflow; `input` and `end` are reserved for those kinds.'),
          type: string('Category: base, tool or embody.'),
          data: Type.Object(
            optional({
              type: string('Kind of node, such as input, llm, output, web_search, end.'),
              title: Type.String(),
              desc: Type.String(),
            }),
            {
              additionalProperties: true,
              description: 'Settings of the kind. Unknown fields are stored unchanged.',
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
          source: Type.Object({ cell: string('Id of the source node.'), port: string('`out.<cell>`') }),
          target: Type.Object({ cell: string('Id of the target node.'), port: string('`in.<cell>`') }),
          data: Type.Optional(
            Type.Object(
              { case: Type.Optional(string('Case of a branching node.')) },
              { additionalProperties: true },
            ),
          ),
        },
        { additionalProperties: true },
      ),
      { maxItems: limits.graphEdges },
    ),
  },
  { additionalProperties: true, description: 'A graph of nodes and edges. It is stored verbatim.' },
)

/** The graph inside a request; the schema only checks that it is an object. */
export const graphField = (description: string) =>
  Type.Unsafe<object>({ type: 'object', description, 'x-schema': 'Graph' })
