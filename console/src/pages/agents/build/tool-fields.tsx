import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Switch, Tag } from 'antd'
import { useState } from 'react'
import { defineWords } from '../../../ui/words.ts'
import type { ToolDraft } from './agent-draft.ts'
import { FieldGroup } from './field.tsx'
import type { PartProps } from './part-props.ts'
import { ToolDialog } from './tool-dialog.tsx'

const useWords = defineWords(
  {
    title: 'Tools',
    about: 'Tools the model can call while it answers. It chooses by their names and descriptions.',
    web: 'Web search',
    webHelp: 'Returns titles, URLs and excerpts. Requires a search provider in the server settings.',
    add: 'Add a tool',
    edit: (name: string) => `Edit ${name}`,
    remove: (name: string) => `Remove ${name}`,
    untyped: 'no type',
  },
  {
    title: '工具',
    about: '模型回答时可以调用的工具，它根据名称和说明来选择。',
    web: '网页搜索',
    webHelp: '返回标题、网址和摘要，需要在服务器设置中配置搜索服务。',
    add: '添加工具',
    edit: (name: string) => `编辑 ${name}`,
    remove: (name: string) => `移除 ${name}`,
    untyped: '未指定类型',
  },
)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Which tool is being edited: one of the list by its place, or a new one behind it. */
type Editing = { at: number; tool: ToolDraft | undefined } | undefined

export function ToolFields({ draft, edit, isDisabled }: PartProps) {
  const words = useWords()
  const { tools } = draft
  const [editing, setEditing] = useState<Editing>()
  const keep = (tool: ToolDraft): void => {
    if (editing) edit({ tools: editing.tool ? tools.with(editing.at, tool) : [...tools, tool] })
    setEditing(undefined)
  }
  const taken = tools.filter((_, at) => at !== editing?.at).map(({ name }) => name)
  return (
    <FieldGroup title={words.title} about={words.about}>
      <div className="tool-row">
        <Switch
          aria-label={words.web}
          disabled={isDisabled}
          checked={draft.searchesWeb}
          onChange={searchesWeb => edit({ searchesWeb })}
        />
        <span className="tool-about">
          {words.web}
          <span className="soft small">{words.webHelp}</span>
        </span>
      </div>
      {tools.map((tool, at) => (
        <div key={tool.name} className="tool-row">
          <Tag>{textOf(tool.running['type']) || words.untyped}</Tag>
          <span className="tool-about">
            {tool.name}
            <span className="soft small">
              {textOf(tool.running['description']) || textOf(tool.running['url'])}
            </span>
          </span>
          <Button
            type="text"
            icon={<EditOutlined />}
            disabled={isDisabled}
            aria-label={words.edit(tool.name)}
            onClick={() => setEditing({ at, tool })}
          />
          <Button
            type="text"
            icon={<DeleteOutlined />}
            disabled={isDisabled}
            aria-label={words.remove(tool.name)}
            onClick={() => edit({ tools: tools.filter((_, other) => other !== at) })}
          />
        </div>
      ))}
      <div>
        <Button
          type="dashed"
          icon={<PlusOutlined />}
          disabled={isDisabled || tools.length >= 50}
          onClick={() => setEditing({ at: tools.length, tool: undefined })}
        >
          {words.add}
        </Button>
      </div>
      {editing && (
        <ToolDialog tool={editing.tool} taken={taken} onKeep={keep} onCancel={() => setEditing(undefined)} />
      )}
    </FieldGroup>
  )
}
