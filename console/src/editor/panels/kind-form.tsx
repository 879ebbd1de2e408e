import type { KindField } from '../../../../src/contract/kind-operations.ts'
import { useTools } from '../../ui/tools/use-tools.ts'
import { defineWords } from '../../ui/words.ts'
import type { GraphNode, NodeData } from '../model/graph.ts'
import { type KindRecord, useWorkflowEditor } from '../workflow-editor.ts'
import { caseEdits, caseFieldOf } from './case-edits.ts'
import { hasParts, type JsonObject, pointerBelow, withKey } from './fits-shape.ts'
import { areCases } from './inputs/cases-input.tsx'
import { ClassesInput } from './inputs/classes-input.tsx'
import { ConditionsInput } from './inputs/conditions-input.tsx'
import { FieldFrame } from './inputs/field-frame.tsx'
import { NestedInputContext } from './inputs/nested-input.tsx'
import { FieldInput, OtherFields } from './inputs/object-input.tsx'
import { SettingsContext } from './inputs/server-tool-inputs.tsx'
import { ShapeInput } from './inputs/shape-input.tsx'
import { useLocalized } from './node-form.ts'
import { withOptionData } from './option-data.ts'

const useWords = defineWords({ advanced: 'Advanced' }, { advanced: '高级设置' })

/** Shown at the top of the panel. */
const headFields = ['title', 'desc']

/** The settings of a node: fields of its kind, common fields, and unknown fields. */
export function KindForm({ node, kind }: { node: GraphNode; kind: KindRecord | undefined }) {
  const words = useWords()
  const { store, kinds } = useWorkflowEditor()
  const fields = kind?.fields ?? []
  const change = (field: string, value: unknown): void =>
    store.edit(changeEdit(node, fields, field, value, store.state().graph), { group: `${node.id}/${field}` })
  const changeAll = (data: JsonObject): void =>
    store.edit({ type: 'node.change', id: node.id, data: data as NodeData }, { group: `${node.id}/others` })
  const common = kinds.common.filter(({ name }) => !headFields.includes(name))
  const known = ['type', ...headFields, ...[...common, ...fields].map(({ name }) => name)]
  const isSet = common.some(({ name }) => node.data[name] !== undefined)
  const shown = fields.filter(field => isUsed(field, node.data))
  const settings = useSettings(node.data)
  return (
    <NestedInputContext value={ShapeInput}>
      <SettingsContext value={settings}>
        <div className="fields">
          {shown.map(field => (
            <SettingInput
              key={field.name}
              {...{ field, node }}
              onChange={value => change(field.name, value)}
            />
          ))}
          <OtherFields
            record={node.data}
            // Some kinds repeat the node's id in their data, which is updated automatically.
            known={node.data['id'] === node.id ? [...known, 'id'] : known}
            onChange={changeAll}
            pointer=""
          />
          <details className="advanced" open={isSet || undefined}>
            <summary>{words.advanced}</summary>
            <div className="fields">
              {common.map(field => (
                <FieldInput
                  key={field.name}
                  field={field}
                  value={node.data[field.name]}
                  onChange={value => change(field.name, value)}
                  pointer={pointerBelow('', field.name)}
                />
              ))}
            </div>
          </details>
        </div>
      </SettingsContext>
    </NestedInputContext>
  )
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** A shared tool takes the place of the settings of the node's own request. */
const isUsed = (field: KindField, data: NodeData): boolean =>
  !(field.unless !== undefined && isFilled(data[field.unless])) &&
  (field.with === undefined || isFilled(data[field.with]))

/** The settings of the node with those of the shared tool that it calls. */
function useSettings(data: NodeData): JsonObject {
  const id = data['tool_id']
  const { data: tools } = useTools({ enabled: isFilled(id) })
  const tool = isFilled(id) ? tools?.find(each => each.id === id) : undefined
  if (!tool) return data
  const { url, headers, oauth, parameters } = tool
  return tool.type === 'mcp' ? { ...data, url, headers, oauth } : { ...data, url: '', parameters }
}

/** Edges follow the branches they name. */
function changeEdit(
  node: GraphNode,
  fields: readonly KindField[],
  field: string,
  value: unknown,
  graph: Parameters<typeof caseEdits>[0],
) {
  const options = fields.find(({ name }) => name === field)?.shape.options ?? []
  const data = withKey(withOptionData(node.data, options, value), field, value) as NodeData
  const change = { type: 'node.change', id: node.id, data } as const
  const edges =
    field === caseFieldOf(node.data.type) ? caseEdits(graph, node.id, node.data[field], value) : []
  return edges.length === 0 ? change : ({ type: 'many', edits: [change, ...edges] } as const)
}

interface SettingInputProps {
  field: KindField
  node: GraphNode
  onChange(value: unknown): void
}

/** One setting; a few have a better input than the one for their shape. */
function SettingInput({ field, node, onChange }: SettingInputProps) {
  const localize = useLocalized()
  const value = node.data[field.name]
  const pointer = pointerBelow('', field.name)
  const special = specialInput(field, node, onChange)
  if (special === undefined) return <FieldInput {...{ field, value, onChange, pointer }} />
  return (
    <FieldFrame
      pointer={pointer}
      label={localize(field.label)}
      help={field.help ? localize(field.help) : undefined}
      required={field.required}
      isGroup={hasParts(field.shape, value)}
    >
      {special}
    </FieldFrame>
  )
}

function specialInput(field: KindField, node: GraphNode, onChange: (value: unknown) => void) {
  const value = node.data[field.name]
  const pointer = pointerBelow('', field.name)
  const { shape } = field
  if (field.name !== caseFieldOf(node.data.type) || !areCases(value)) return undefined
  return node.data.type === 'classifier' ? (
    <ClassesInput {...{ value, onChange, pointer }} />
  ) : (
    <ConditionsInput {...{ shape, value, onChange, pointer }} />
  )
}
