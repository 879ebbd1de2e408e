import { Select } from 'antd'
import { defineWords } from '../../ui/words.ts'
import { type ConnectionProblem, connectionProblem } from '../model/connect.ts'
import { edgeKey, type GraphEdge, withBranch, withEnds } from '../model/graph.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { branchesOf, caseTitle, errorBranch } from './case-edits.ts'

const useWords = defineWords(
  {
    title: 'Connection',
    about: (from: string, to: string) => `From ${from} to ${to}.`,
    from: 'From',
    to: 'To',
    branch: 'Branch',
    always: 'Any branch',
    none: 'Taken whenever the previous node has run.',
    branchAbout: 'Taken when the previous node chooses this branch.',
  },
  {
    title: '连线',
    about: (from: string, to: string) => `从 ${from} 到 ${to}。`,
    from: '起点',
    to: '终点',
    branch: '分支',
    always: '任意分支',
    none: '前面的节点运行后就会走这条连线。',
    branchAbout: '前面的节点选中此分支时，才走这条连线。',
  },
)

const always = ''

/** The selected edge: its ends and its branch. Here an end can also be moved without a pointer. */
export function EdgePanel({ edge }: { edge: GraphEdge }) {
  const words = useWords()
  const { store, mayWrite, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const nodeOf = (id: string) => graph.nodes.find(node => node.id === id)
  const titleOf = (id: string): string => nodeOf(id)?.data.title || id
  const source = nodeOf(edge.source.cell)
  const current = edge.data?.case
  const cases = [
    ...new Set([...branchesOf(source, checks.outline), ...(current === undefined ? [] : [current])]),
  ]
  const key = edgeKey(edge)
  const others = { ...graph, edges: graph.edges.filter(each => edgeKey(each) !== key) }
  const problemOf = ({ source, target, data }: GraphEdge): ConnectionProblem | undefined =>
    connectionProblem(others, source.cell, target.cell, data?.case)
  const change = (next: GraphEdge): void => store.edit({ type: 'edge.reconnect', key, edge: next })
  const fromNode = (id: string): GraphEdge =>
    withEnds(edge, {
      from: id,
      branch: branchesOf(nodeOf(id), checks.outline).find(each => each !== errorBranch),
    })
  const ends = [
    { name: 'from' as const, value: edge.source.cell, with: fromNode },
    { name: 'to' as const, value: edge.target.cell, with: (id: string) => withEnds(edge, { to: id }) },
  ]
  return (
    <div className="fields">
      <div>
        <h2 className="panel-title">{words.title}</h2>
        <p className="soft small panel-about">
          {words.about(titleOf(edge.source.cell), titleOf(edge.target.cell))}
        </p>
      </div>
      {ends.map(end => (
        <div className="field" key={end.name}>
          <label className="field-label" htmlFor={`edge-${end.name}`}>
            {words[end.name]}
          </label>
          <Select
            id={`edge-${end.name}`}
            className="field-wide"
            showSearch={{ optionFilterProp: 'label' }}
            disabled={!mayWrite}
            value={end.value}
            onChange={id => change(end.with(id))}
            options={graph.nodes
              .filter(({ id }) => id === end.value || problemOf(end.with(id)) === undefined)
              .map(({ id }) => ({ value: id, label: titleOf(id) }))}
          />
        </div>
      ))}
      {cases.length === 0 ? (
        <p className="soft">{words.none}</p>
      ) : (
        <div className="field">
          <label className="field-label" htmlFor="edge-case">
            {words.branch}
          </label>
          <Select
            id="edge-case"
            className="field-wide"
            disabled={!mayWrite}
            value={current ?? always}
            onChange={branch => change(withBranch(edge, branch === always ? undefined : branch))}
            options={[always, ...cases].map(branch => ({
              value: branch,
              label: branch === always ? words.always : source ? caseTitle(source, branch) : branch,
              disabled: problemOf(withBranch(edge, branch === always ? undefined : branch)) === 'duplicate',
            }))}
          />
          <p className="soft small hint">{words.branchAbout}</p>
        </div>
      )}
    </div>
  )
}
