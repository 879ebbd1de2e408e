import { optional, string } from './fields.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

const open = { additionalProperties: true }

const end = (cell: string, port: string) => Type.Object({ cell: string(cell), port: string(port) })

const data = Type.Object(
  optional({
    type: string('Kind of node, such as input, llm, output, web_search, end.'),
    title: Type.String(),
    desc: Type.String(),
  }),
  { ...open, description: 'Settings of the kind. Unknown fields are stored unchanged.' },
)
const node = Type.Object(
  {
    id: string('Unique within the workflow; `input` and `end` are reserved for those kinds.'),
    type: string('Category: base, tool or embody.'),
    data,
  },
  open,
)
const edge = Type.Object(
  {
    source: end('Id of the source node.', '`out.<cell>`'),
    target: end('Id of the target node.', '`in.<cell>`'),
    data: Type.Optional(Type.Object(optional({ case: string('Case of a branching node.') }), open)),
  },
  open,
)

/** For the API reference alone: the rules span nodes and edges, and src/workflow reports every finding at once. */
export const graphSchema = Type.Object(
  {
    nodes: Type.Array(node, { maxItems: limits.graphNodes }),
    edges: Type.Array(edge, { maxItems: limits.graphEdges }),
  },
  { ...open, description: 'A graph of nodes and edges. It is stored verbatim.' },
)

/** The graph inside a request; the schema only checks that it is an object. */
export const graphField = (description: string) =>
  Type.Unsafe<object>({ type: 'object', description, 'x-schema': 'Graph' })
