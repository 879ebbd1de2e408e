import { Input } from 'antd'
import { defineWords } from '../../ui/words.ts'
import type { GraphNode, NodeData } from '../model/graph.ts'
import { type KindRecord, useWorkflowEditor } from '../workflow-editor.ts'
import { withKey } from './fits-shape.ts'
import { CommittedInput } from './inputs/committed-input.tsx'
import { FieldFrame } from './inputs/field-frame.tsx'
import { JsonInput } from './inputs/json-input.tsx'
import { Problems } from './inputs/problems.tsx'
import { useControl, useNodeForm, useSay, wholeNode } from './node-form.ts'

const useWords = defineWords(
  {
    unknown: (name: string) => `Unknown kind: ${name}`,
    unknownAbout: 'This server does not know the kind. The node is kept as it is, but cannot run.',
    id: 'Id',
    idHelp: 'What references and edges call the node. They follow when it changes.',
    empty: 'A node needs an id.',
    taken: 'Another node has this id already.',
    reserved: (id: string) => `“${id}” is kept for another use; choose a different id.`,
    letters: 'An id has no blanks at its ends and none of { } #.',
    long: 'An id has at most 200 characters.',
  },
  {
    unknown: (name: string) => `未知类型：${name}`,
    unknownAbout: '此服务器不认识这种节点。节点会原样保留，但无法运行。',
    id: '标识',
    idHelp: '引用和连线用它来称呼此节点；修改后引用和连线会自动跟随。',
    empty: '节点需要一个标识。',
    taken: '已有节点使用此标识。',
    reserved: (id: string) => `“${id}”另有用途，请换一个标识。`,
    letters: '标识首尾不能有空格，且不能包含 { } #。',
    long: '标识最多 200 个字符。',
  },
)

/** Kept for one kind of node each, or for what is no node. */
const reserved: Readonly<Record<string, string>> = { input: 'input', end: 'end', sys: '', memory: '' }

/** What a node is, and what it is called. */
export function NodeHead({ node, kind }: { node: GraphNode; kind: KindRecord | undefined }) {
  const words = useWords()
  const say = useSay()
  return (
    <div className="fields">
      <div>
        <h2 className="panel-title">
          {kind ? say(kind.title) : words.unknown(String(node.data.type ?? ''))}
        </h2>
        <p className="soft small panel-about">{kind ? say(kind.about) : words.unknownAbout}</p>
      </div>
      <Problems pointer={wholeNode} reach="here" />
      <div className="fields node-names">
        <NameField node={node} name="title" />
        <NameField node={node} name="desc" />
        <IdField node={node} />
      </div>
    </div>
  )
}

function NameField({ node, name }: { node: GraphNode; name: 'title' | 'desc' }) {
  const say = useSay()
  const { store, kinds } = useWorkflowEditor()
  const control = useControl(`/${name}`)
  const field = kinds.common.find(each => each.name === name)
  const label = field ? say(field.label) : name
  const value: unknown = node.data[name]
  const change = (next: unknown): void =>
    store.edit(
      { type: 'node.change', id: node.id, data: withKey(node.data, name, next) as NodeData },
      { group: `${node.id}/${name}` },
    )
  const text = typeof value === 'string' ? value : ''
  return (
    <FieldFrame pointer={`/${name}`} label={label} help={field?.help ? say(field.help) : undefined}>
      {value !== undefined && typeof value !== 'string' ? (
        <JsonInput value={value} onChange={change} pointer={`/${name}`} label={label} />
      ) : name === 'title' ? (
        <Input {...control} value={text} autoComplete="off" onChange={event => change(event.target.value)} />
      ) : (
        <Input.TextArea
          {...control}
          value={text}
          autoSize={{ minRows: 1, maxRows: 6 }}
          onChange={event => change(event.target.value)}
        />
      )}
    </FieldFrame>
  )
}

function IdField({ node }: { node: GraphNode }) {
  const words = useWords()
  const { store } = useWorkflowEditor()
  const { isReadOnly } = useNodeForm()
  const refuse = (id: string): string | undefined => {
    if (id.trim() === '') return words.empty
    if (id.length > 200) return words.long
    if (id !== id.trim() || /[{}#]/.test(id)) return words.letters
    if (Object.hasOwn(reserved, id) && reserved[id] !== node.data.type) return words.reserved(id)
    return store.state().graph.nodes.some(other => other.id === id) ? words.taken : undefined
  }
  return (
    <FieldFrame pointer="/ id" label={words.id} help={words.idHelp}>
      <CommittedInput
        key={node.id}
        id={useControl('/ id').id}
        label={words.id}
        value={node.id}
        refuse={refuse}
        onCommit={to => store.edit({ type: 'node.rename', id: node.id, to })}
        disabled={isReadOnly}
      />
    </FieldFrame>
  )
}
