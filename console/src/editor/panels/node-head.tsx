import { Input } from 'antd'
import { defineWords } from '../../ui/words.ts'
import type { GraphNode, NodeData } from '../model/graph.ts'
import { type KindRecord, useWorkflowEditor } from '../workflow-editor.ts'
import { withKey } from './fits-shape.ts'
import { CommittedInput } from './inputs/committed-input.tsx'
import { FieldFrame } from './inputs/field-frame.tsx'
import { JsonInput } from './inputs/json-input.tsx'
import { Problems } from './inputs/problems.tsx'
import { useControl, useLocalized, useNodeForm, wholeNode } from './node-form.ts'

const useWords = defineWords(
  {
    unknown: (name: string) => `Unknown node type: ${name}`,
    unknownAbout: 'This server does not support this node type. The node is kept as it is, but cannot run.',
    id: 'ID',
    idHelp: 'References and connections use this ID and are updated when you change it.',
    empty: 'Enter an ID for the node.',
    taken: 'Another node already uses this ID.',
    reserved: (id: string) => `“${id}” is reserved; choose a different ID.`,
    letters: 'An ID cannot start or end with a space or contain { } #.',
    long: 'An ID can have at most 200 characters.',
  },
  {
    unknown: (name: string) => `未知的节点类型：${name}`,
    unknownAbout: '此服务器不支持这种节点。节点会原样保留，但无法运行。',
    id: 'ID',
    idHelp: '引用和连线都使用此 ID；修改后会自动更新。',
    empty: '请填写节点 ID。',
    taken: '已有节点使用此 ID。',
    reserved: (id: string) => `“${id}”是保留名称，请换一个 ID。`,
    letters: 'ID 首尾不能有空格，且不能包含 { } #。',
    long: 'ID 最多 200 个字符。',
  },
)

/** Ids that are reserved for one kind of node, or for other values that references name. */
const reserved: Readonly<Record<string, string>> = {
  input: 'input',
  end: 'end',
  sys: '',
  memory: '',
  secret: '',
}

/** The kind, title and id of a node. */
export function NodeHead({ node, kind }: { node: GraphNode; kind: KindRecord | undefined }) {
  const words = useWords()
  const localize = useLocalized()
  return (
    <div className="fields">
      <div>
        <h2 className="panel-title">
          {kind ? localize(kind.title) : words.unknown(String(node.data.type ?? ''))}
        </h2>
        <p className="soft small panel-about">{kind ? localize(kind.about) : words.unknownAbout}</p>
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

/**
 * Whether the browser sizes the field itself. Ant Design would measure the text, with several page layouts per opened
 * node.
 */
const growing = CSS.supports('field-sizing', 'content')
  ? { rows: 1, className: 'node-description' }
  : { autoSize: { minRows: 1, maxRows: 6 } }

function NameField({ node, name }: { node: GraphNode; name: 'title' | 'desc' }) {
  const localize = useLocalized()
  const { store, kinds } = useWorkflowEditor()
  const control = useControl(`/${name}`)
  const field = kinds.common.find(each => each.name === name)
  const label = field ? localize(field.label) : name
  const value: unknown = node.data[name]
  const change = (next: unknown): void =>
    store.edit(
      { type: 'node.change', id: node.id, data: withKey(node.data, name, next) as NodeData },
      { group: `${node.id}/${name}` },
    )
  const text = typeof value === 'string' ? value : ''
  return (
    <FieldFrame pointer={`/${name}`} label={label} help={field?.help ? localize(field.help) : undefined}>
      {value !== undefined && typeof value !== 'string' ? (
        <JsonInput value={value} onChange={change} pointer={`/${name}`} label={label} />
      ) : name === 'title' ? (
        <Input {...control} value={text} autoComplete="off" onChange={event => change(event.target.value)} />
      ) : (
        <Input.TextArea
          {...control}
          value={text}
          {...growing}
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
