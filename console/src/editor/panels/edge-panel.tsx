import { Select } from 'antd'
import { defineWords } from '../../ui/words.ts'
import { knownCases } from '../known-cases.ts'
import { edgeKey, type GraphEdge } from '../model/graph.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'

const useWords = defineWords(
  {
    title: 'Connection',
    about: (from: string, to: string) => `From ${from} to ${to}.`,
    branch: 'Branch',
    always: 'Any branch',
    none: 'Taken whenever the previous node has run.',
    branchAbout: 'Taken when the previous node chooses this branch.',
  },
  {
    title: '连线',
    about: (from: string, to: string) => `从 ${from} 到 ${to}。`,
    branch: '分支',
    always: '任意分支',
    none: '前面的节点运行后就会走这条连线。',
    branchAbout: '前面的节点选中此分支时，才走这条连线。',
  },
)

const always = ''

/** The selected edge: which way it leads, and in which case. */
export function EdgePanel({ edge }: { edge: GraphEdge }) {
  const words = useWords()
  const { store, mayWrite, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const nodeOf = (id: string) => graph.nodes.find(node => node.id === id)
  const titleOf = (id: string): string => nodeOf(id)?.data.title || id
  const source = nodeOf(edge.source.cell)
  const known = knownCases(source, checks.outline)
  const current = edge.data?.case
  const cases = [...new Set([...known, ...(current === undefined ? [] : [current])])]
  const keyWith = (branch: string): string => edgeKey({ ...edge, data: { ...edge.data, case: branch } })
  const taken = new Set(graph.edges.filter(other => other !== edge).map(edgeKey))
  return (
    <div className="fields">
      <div>
        <h2 className="panel-title">{words.title}</h2>
        <p className="soft small panel-about">
          {words.about(titleOf(edge.source.cell), titleOf(edge.target.cell))}
        </p>
      </div>
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
            onChange={branch =>
              store.edit({
                type: 'edge.branch',
                key: edgeKey(edge),
                branch: branch === always ? undefined : branch,
              })
            }
            options={[always, ...cases.filter(each => each !== always)].map(branch => ({
              value: branch,
              label: branch === always ? words.always : branch,
              disabled: taken.has(keyWith(branch)),
            }))}
          />
          <p className="soft small hint">{words.branchAbout}</p>
        </div>
      )}
    </div>
  )
}
