import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useContext, useState } from 'react'
import { call } from '../../../api/call.ts'
import type { CallInput } from '../../../api/operations.ts'
import { useOptionsFailure } from '../../../ui/failure.tsx'
import { pathTo } from '../../../ui/router.ts'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { defineWords } from '../../../ui/words.ts'
import { useControl } from '../node-form.ts'
import type { InputProps } from './input-props.ts'
import { SettingsContext } from './server-tool-inputs.tsx'

interface NamedIdSelectProps {
  source: NameSource
  chosen: readonly string[]
  onChoose(ids: string[]): void
  pointer: string
  label: string
  placeholder: string
  isMultiple?: boolean
}

/** A select that shows names and stores ids. */
function NamedIdSelect(props: NamedIdSelectProps) {
  const { source, chosen, onChoose, pointer, label, placeholder, isMultiple = false } = props
  const { options, setSearch, found } = useNamedIds(source, chosen)
  const control = useControl(pointer)
  const shared = {
    ...control,
    'aria-label': label,
    className: 'field-wide',
    allowClear: true,
    placeholder,
    options,
    loading: found.isFetching,
    ...useOptionsFailure(found),
    status: control['aria-invalid'] ? ('error' as const) : ('' as const),
    // The server has already filtered.
    showSearch: { filterOption: false, onSearch: setSearch },
    onBlur: () => setSearch(''),
    optionRender: ({ data }: { data: NamedOption }) => (
      <span className="named-option">
        <span>{data.label}</span>
        {data.id !== '' && data.id !== data.label && <span className="soft small">{data.id}</span>}
      </span>
    ),
  }
  if (isMultiple)
    return (
      <Select<string[], NamedOption> {...shared} mode="multiple" value={[...chosen]} onChange={onChoose} />
    )
  return (
    <Select<string, NamedOption>
      {...shared}
      value={chosen[0]}
      onChange={next => onChoose(next === undefined || next === null ? [] : [next])}
    />
  )
}

interface Named {
  id: string
  name: string
}

/** Where names and ids come from. */
interface NameSource {
  key: string
  search(keyword: string, signal: AbortSignal): Promise<Named[]>
  find(ids: string[], signal: AbortSignal): Promise<Named[]>
}

type KnowledgeSearch = CallInput<'POST /api/v1/knowledge'>['body']

async function listKnowledge(body: KnowledgeSearch, signal: AbortSignal): Promise<Named[]> {
  const { items } = await call('POST /api/v1/knowledge', { body: { page_size: 100, ...body }, signal })
  return items.map(({ knowledge_id, name }) => ({ id: knowledge_id, name }))
}

const knowledgeNames: NameSource = {
  key: 'knowledge',
  search: (keyword, signal) => listKnowledge(keyword === '' ? {} : { keyword }, signal),
  find: (ids, signal) => listKnowledge({ knowledge_ids: ids }, signal),
}

/** Names from a list of the server that can be searched by name and id. */
const listedNames = (key: 'workflow' | 'agent'): NameSource => {
  const search: NameSource['search'] = async (keyword, signal) => {
    const body = { ...(keyword !== '' && { keyword }), page_size: 50 }
    return (await call(`POST /api/v1/${key}/list`, { body, signal })).items
  }
  return {
    key,
    search,
    find: async (ids, signal) => {
      const pages = await Promise.all(ids.map(id => search(id, signal)))
      return pages.flat().filter(({ id }) => ids.includes(id))
    },
  }
}

const workflowNames = listedNames('workflow')
const agentNames = listedNames('agent')
const toolNames = (type: 'http' | 'mcp' | undefined): NameSource => ({
  key: type === undefined ? 'tool' : `tool ${type}`,
  search: async (keyword, signal) => {
    const body = { ...(keyword !== '' && { keyword }), page_size: 100 }
    const { items } = await call('POST /api/v1/tool/list', { body, signal })
    return items.filter(tool => type === undefined || tool.type === type)
  },
  find: async (ids, signal) =>
    (
      await Promise.all(
        ids.map(id => call('POST /api/v1/tool/get', { body: { id }, signal }).catch(() => [])),
      )
    ).flat(),
})
const anyTool = toolNames(undefined)
/** Sources of the tools that a node can call, by the kind of the node. */
const calledTools: Readonly<Record<string, NameSource>> = {
  http_request: toolNames('http'),
  mcp: toolNames('mcp'),
}

const useWords = defineWords(
  { asWritten: (text: string) => `Use “${text}” as typed` },
  { asWritten: (text: string) => `直接使用“${text}”` },
)

interface NamedOption {
  value: string
  label: string
  /** The id, if the label is a name. */
  id: string
}

/**
 * Options for a select that shows names and stores ids. It offers the server's search results and the typed
 * text itself: an id may also be a reference, or belong to something created later.
 */
function useNamedIds(source: NameSource, chosen: readonly string[]) {
  const words = useWords()
  const [search, setSearch] = useState('')
  const keyword = useDebounced(search.trim())
  const found = useQuery({
    queryKey: ['names', source.key, keyword],
    queryFn: ({ signal }) => source.search(keyword, signal),
    placeholderData: before => before,
  })
  const ids = chosen.filter(id => /^[\w-]{1,200}$/.test(id))
  const own = useQuery({
    queryKey: ['names', source.key, 'of', ...ids],
    queryFn: ({ signal }) => source.find(ids, signal),
    enabled: ids.length > 0,
  })
  const names = new Map((own.data ?? []).map(({ id, name }) => [id, name]))
  const options: NamedOption[] = (found.data ?? []).map(({ id, name }) => ({
    value: id,
    label: name || id,
    id,
  }))
  const isOffered = (id: string): boolean => options.some(({ value }) => value === id)
  const typed = search.trim()
  if (typed !== '' && !isOffered(typed)) options.push({ value: typed, label: words.asWritten(typed), id: '' })
  for (const id of chosen)
    if (id !== '' && !isOffered(id)) options.push({ value: id, label: names.get(id) ?? id, id })
  return { options, setSearch, found, names }
}

const useKnowledgeInputWords = defineWords({ choose: 'Choose a knowledge base' }, { choose: '选择知识库' })

/** A knowledge base. */
export function KnowledgeInput({ value, onChange, pointer, label }: InputProps) {
  const words = useKnowledgeInputWords()
  return (
    <NamedIdSelect
      source={knowledgeNames}
      chosen={typeof value === 'string' && value !== '' ? [value] : []}
      onChoose={([id]) => onChange(id)}
      placeholder={words.choose}
      {...{ pointer, label }}
    />
  )
}

/** Several knowledge bases. */
export function KnowledgeListInput({ value, onChange, pointer, label }: InputProps) {
  const words = useKnowledgeInputWords()
  return (
    <NamedIdSelect
      isMultiple
      source={knowledgeNames}
      chosen={(value ?? []) as string[]}
      onChoose={onChange}
      placeholder={words.choose}
      {...{ pointer, label }}
    />
  )
}

const useWorkflowInputWords = defineWords({ choose: 'Choose a workflow' }, { choose: '选择工作流' })

/** Another workflow. */
export function WorkflowInput({ value, onChange, pointer, label }: InputProps) {
  const words = useWorkflowInputWords()
  return (
    <NamedIdSelect
      source={workflowNames}
      chosen={typeof value === 'string' && value !== '' ? [value] : []}
      onChoose={([id]) => onChange(id)}
      placeholder={words.choose}
      {...{ pointer, label }}
    />
  )
}

const useAgentInputWords = defineWords({ choose: 'Choose an agent' }, { choose: '选择智能体' })

/** An agent of the workspace. */
export function AgentInput({ value, onChange, pointer, label }: InputProps) {
  const words = useAgentInputWords()
  return (
    <NamedIdSelect
      source={agentNames}
      chosen={typeof value === 'string' && value !== '' ? [value] : []}
      onChoose={([id]) => onChange(id)}
      placeholder={words.choose}
      {...{ pointer, label }}
    />
  )
}

const useToolInputWords = defineWords(
  { choose: 'Choose a shared tool', create: 'Create shared tools' },
  { choose: '选择共享工具', create: '创建共享工具' },
)

/** A shared tool of the workspace. */
export function SharedToolInput({ value, onChange, pointer, label }: InputProps) {
  const words = useToolInputWords()
  const { type } = useContext(SettingsContext)
  return (
    <div className="field-stack">
      <NamedIdSelect
        source={calledTools[`${type}`] ?? anyTool}
        chosen={typeof value === 'string' && value !== '' ? [value] : []}
        onChoose={([id]) => onChange(id)}
        placeholder={words.choose}
        {...{ pointer, label }}
      />
      <a className="small" href={pathTo('tools')}>
        {words.create}
      </a>
    </div>
  )
}
