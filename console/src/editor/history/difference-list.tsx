import type { KindField } from '../../../../src/contract/kind-operations.ts'
import { defineWords } from '../../ui/words.ts'
import type { EdgeDifference, FieldChange, GraphDifference, NodeDifference } from '../model/diff-graphs.ts'
import type { Graph, GraphNode } from '../model/graph.ts'
import { useLocalized } from '../panels/node-form.ts'
import { useNodeTitle } from '../panels/use-node-title.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'

const useWords = defineWords(
  {
    same: 'No differences.',
    added: 'added',
    removed: 'removed',
    changed: 'changed',
    nodes: 'Nodes',
    edges: 'Connections',
    graph: 'Other',
    before: 'before',
    after: 'after',
    unset: '(not set)',
    case: (name: string) => `branch ${name}`,
  },
  {
    same: '没有差异。',
    added: '新增',
    removed: '删除',
    changed: '修改',
    nodes: '节点',
    edges: '连线',
    graph: '其他',
    before: '之前',
    after: '之后',
    unset: '（未设置）',
    case: (name: string) => `分支 ${name}`,
  },
)

interface DifferenceListProps {
  difference: GraphDifference
  before: Graph
  after: Graph
}

/** All differences as a list. */
export function DifferenceList({ difference, before, after }: DifferenceListProps) {
  const words = useWords()
  const { nodes, edges, fields } = difference
  if (nodes.length + edges.length + fields.length === 0) return <p className="soft">{words.same}</p>
  const nodesById = new Map([...before.nodes, ...after.nodes].map(node => [node.id, node]))
  return (
    <div className="differences">
      {nodes.length > 0 && (
        <div>
          <h3>{words.nodes}</h3>
          <ul>
            {nodes.map(node => (
              <NodeLine key={node.id} difference={node} />
            ))}
          </ul>
        </div>
      )}
      {edges.length > 0 && (
        <div>
          <h3>{words.edges}</h3>
          <ul>
            {edges.map(edge => (
              <EdgeLine key={edge.key} difference={edge} nodes={nodesById} />
            ))}
          </ul>
        </div>
      )}
      {fields.length > 0 && (
        <div>
          <h3>{words.graph}</h3>
          <FieldChanges fields={fields} kind={undefined} />
        </div>
      )}
    </div>
  )
}

function Mark({ change }: { change: NodeDifference['change'] }) {
  const words = useWords()
  return <span className={`change ${change}`}>{words[change]}</span>
}

function NodeLine({ difference }: { difference: NodeDifference }) {
  const titleOf = useNodeTitle()
  const { id, change, before, after, fields } = difference
  const node = (after ?? before)!
  return (
    <li>
      <div className="difference-line">
        <Mark change={change} />
        <b>{titleOf(node)}</b>
        <code className="soft">{id}</code>
      </div>
      <FieldChanges fields={fields} kind={node.data.type} />
    </li>
  )
}

function EdgeLine({
  difference,
  nodes,
}: {
  difference: EdgeDifference
  nodes: ReadonlyMap<string, GraphNode>
}) {
  const words = useWords()
  const titleOf = useNodeTitle()
  const { change, edge } = difference
  const nameOf = (id: string): string => {
    const node = nodes.get(id)
    return node ? titleOf(node) : id
  }
  return (
    <li>
      <div className="difference-line">
        <Mark change={change} />
        <span>
          {nameOf(edge.source.cell)} → {nameOf(edge.target.cell)}
          {edge.data?.case !== undefined && <span className="soft"> ({words.case(edge.data.case)})</span>}
        </span>
      </div>
    </li>
  )
}

function FieldChanges({ fields, kind }: { fields: readonly FieldChange[]; kind: string | undefined }) {
  const words = useWords()
  if (fields.length === 0) return null
  return (
    <dl className="field-changes">
      {fields.map(({ path, before, after }) => (
        <div key={path.join('.')}>
          <dt>
            <FieldName path={path} kind={kind} />
          </dt>
          <dd className="removed">
            <span className="visually-hidden">{words.before}: </span>
            {before === undefined ? words.unset : showText(before)}
          </dd>
          <dd className="added">
            <span className="visually-hidden">{words.after}: </span>
            {after === undefined ? words.unset : showText(after)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The label of a node's field: from the schema of its kind, if there is one. */
export function FieldName({ path, kind }: { path: readonly string[]; kind: string | undefined }) {
  const localize = useLocalized()
  const { kinds } = useWorkflowEditor()
  const [first, ...rest] = path
  if (first !== 'data' || rest.length === 0) return path.join(' › ')
  const known = [...(kinds.kinds.find(each => each.kind === kind)?.fields ?? []), ...kinds.common]
  const names: string[] = []
  let fields: readonly KindField[] = known
  for (const name of rest) {
    const field = fields.find(each => each.name === name)
    names.push(field ? localize(field.label) : name)
    fields = field?.shape.fields ?? []
  }
  return names.join(' › ')
}

/** A readable value: text as it is, anything else as JSON. */
export const showText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)
