import { PlusOutlined } from '@ant-design/icons'
import { AutoComplete, Button, Select } from 'antd'
import { createContext, useContext } from 'react'
import {
  ConnectServer,
  type ToolServer,
  useServerTools,
  useToolOptions,
} from '../../../ui/tools/server-tools.tsx'
import { defineWords } from '../../../ui/words.ts'
import { isObject, type JsonObject } from '../fits-shape.ts'
import { useControl, useNodeForm } from '../node-form.ts'
import type { InputProps } from './input-props.ts'
import { TreeInput } from './tree-input.tsx'

/** The settings that contain a field: those of the node, or of one of its sources. */
export const SettingsContext = createContext<JsonObject>({})

/** The MCP server that the settings describe. */
function useToolServer(): ToolServer {
  const { url, headers, oauth } = useContext(SettingsContext)
  const texts = (record: unknown): Record<string, string> =>
    Object.fromEntries(
      Object.entries(isObject(record) ? record : {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    )
  const { client_id = '', client_secret = '', issuer = '', scope = '' } = texts(oauth)
  return {
    url: typeof url === 'string' ? url.trim() : '',
    headers: texts(headers),
    ...(client_id !== '' && { oauth: { client_id, client_secret, issuer, scope } }),
  }
}

/** A tool of the server by name: one that it lists, or any text, which may be a reference. */
export function ServerToolInput({ value, onChange, pointer, label }: InputProps) {
  const server = useToolServer()
  const offered = useToolOptions(server)
  const control = useControl(pointer)
  return (
    <div className="field-stack">
      <AutoComplete
        {...control}
        aria-label={label}
        className="field-wide"
        value={typeof value === 'string' ? value : ''}
        onChange={next => onChange(next ?? '')}
        // A complete tool name is a choice and not a search, so the list still offers the other tools.
        showSearch={{
          filterOption: (typed, option) =>
            offered.options.some(({ value: name }) => name === typed) ||
            (option?.value ?? '').includes(typed),
        }}
        {...offered}
        status={control['aria-invalid'] ? 'error' : ''}
      />
      {!control.disabled && <ConnectServer server={server} />}
    </div>
  )
}

/** Several tools of the server. */
export function ServerToolListInput({ value, onChange, pointer, label }: InputProps) {
  const server = useToolServer()
  const offered = useToolOptions(server)
  const control = useControl(pointer)
  return (
    <div className="field-stack">
      <Select
        {...control}
        mode="tags"
        aria-label={label}
        className="field-wide"
        value={(value ?? []) as string[]}
        onChange={(names: string[]) => onChange(names.length === 0 ? undefined : names)}
        {...offered}
        status={control['aria-invalid'] ? 'error' : ''}
      />
      {!control.disabled && <ConnectServer server={server} />}
    </div>
  )
}

const useWords = defineWords(
  { missing: 'Arguments of the tool', add: (name: string) => `Add ${name}`, required: 'required' },
  { missing: '工具的参数', add: (name: string) => `添加 ${name}`, required: '必填' },
)

/** The arguments of a tool as JSON; those that its schema declares can be added with a click. */
export function ServerArgumentsInput(props: InputProps) {
  const { shape, value, onChange } = props
  const words = useWords()
  const { isReadOnly } = useNodeForm()
  const { tool, parameters } = useContext(SettingsContext)
  const { data } = useServerTools(useToolServer())
  const given = value === undefined || value === '' ? {} : value
  const declared = parametersOf(parameters ?? data?.tools.find(({ name }) => name === tool)?.parameters)
  const missing = isObject(given) ? declared.filter(({ name }) => !Object.hasOwn(given, name)) : []
  return (
    <div className="field-stack">
      <TreeInput {...props} shape={{ ...shape, input: 'json' }} />
      {missing.length > 0 && !isReadOnly && (
        <ul className="missing-arguments" aria-label={words.missing}>
          {missing.map(({ name, about, isRequired, initial }) => (
            <li key={name}>
              <Button
                type="dashed"
                size="small"
                icon={<PlusOutlined />}
                aria-label={words.add(name)}
                title={about}
                onClick={() => onChange({ ...(given as JsonObject), [name]: initial })}
              >
                {name}
              </Button>
              <span className="soft small">{isRequired ? `${words.required} ${about}`.trim() : about}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const emptyValues: JsonObject = { number: 0, integer: 0, boolean: false, array: [], object: {} }

/** The parameters that a JSON Schema declares, the required ones first. */
function parametersOf(schema: unknown) {
  const { properties, required } = isObject(schema) ? schema : {}
  const names: unknown[] = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {})
    .map(([name, property]) => {
      const { type, description, default: preset, enum: allowed } = isObject(property) ? property : {}
      return {
        name,
        about: typeof description === 'string' ? description : '',
        isRequired: names.includes(name),
        initial: preset ?? (Array.isArray(allowed) ? allowed[0] : undefined) ?? emptyValues[`${type}`] ?? '',
      }
    })
    .sort((one, other) => Number(other.isRequired) - Number(one.isRequired))
}
