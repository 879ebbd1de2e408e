import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { ActionMenu } from '../../../ui/action-menu.tsx'
import { defineWords } from '../../../ui/words.ts'
import { isObject, pointerBelow } from '../fits-shape.ts'
import { useLocalized, useNodeForm } from '../node-form.ts'
import type { InputProps } from './input-props.ts'
import { JsonInput } from './json-input.tsx'
import { KnowledgeInput } from './named-id-select.tsx'
import { ObjectInput } from './object-input.tsx'
import { Problems } from './problems.tsx'
import { moved, RowButtons, removed, replaced } from './row-buttons.tsx'
import { SettingsContext } from './server-tool-inputs.tsx'
import { isSourceType, type SourceType, sourceTypes } from './source-shapes.ts'

const useWords = defineWords(
  {
    add: 'Add a knowledge base or tool',
    other: 'Other (JSON)',
    entry: (title: string, place: number) => `${title} ${place}`,
  },
  {
    add: '添加知识库或工具',
    other: '其他（JSON）',
    entry: (title: string, place: number) => `${title} ${place}`,
  },
)

/** The sources that a model may use: knowledge bases, tools, other workflows. */
export function SourcesInput({ value, onChange, pointer }: InputProps) {
  const words = useWords()
  const localize = useLocalized()
  const { isReadOnly } = useNodeForm()
  const list = Array.isArray(value) ? (value as unknown[]) : []
  const add = (type: string): void =>
    onChange([...list, type === 'other' ? {} : type === 'knowledge' ? '' : { type }])
  const items = [
    ...Object.entries(sourceTypes).map(([key, { title }]) => ({ key, label: localize(title) })),
    { key: 'other', label: words.other },
  ]
  return (
    <div className="field-stack">
      {list.map((entry, index) => {
        const type = typeOf(entry)
        const title = words.entry(type ? localize(sourceTypes[type].title) : words.other, index + 1)
        const place = pointerBelow(pointer, index)
        return (
          <section className="card" key={place} data-place={place} aria-label={title}>
            <header className="card-head">
              <span className="item-title">{type ? localize(sourceTypes[type].title) : words.other}</span>
              <RowButtons
                name={title}
                isFirst={index === 0}
                isLast={index === list.length - 1}
                onMove={by => onChange(moved(list, index, by))}
                onRemove={() => onChange(removed(list, index))}
              />
            </header>
            <SourceInput
              {...{ type, entry, title }}
              pointer={place}
              onChange={next => onChange(replaced(list, index, next))}
            />
            <Problems pointer={place} reach={isWhole(entry, type) ? 'below' : 'here'} />
          </section>
        )
      })}
      {!isReadOnly && (
        <ActionMenu menu={{ items, onClick: ({ key }) => add(key) }}>
          <Button type="dashed" size="small" block icon={<PlusOutlined aria-hidden />}>
            {words.add}
          </Button>
        </ActionMenu>
      )}
    </div>
  )
}

interface SourceInputProps {
  type: SourceType | undefined
  entry: unknown
  title: string
  pointer: string
  onChange(entry: unknown): void
}

function SourceInput({ type, entry, title, pointer, onChange }: SourceInputProps) {
  if (type === undefined)
    return (
      <JsonInput
        value={entry}
        onChange={next => onChange(next ?? {})}
        pointer={pointer}
        label={title}
        hasReferences
      />
    )
  const { fields } = sourceTypes[type]
  // A bare text is a knowledge base id, and stays one.
  if (typeof entry === 'string')
    return (
      <KnowledgeInput
        shape={{ is: 'template', input: 'knowledge' }}
        value={entry}
        onChange={next => onChange(next ?? '')}
        pointer={pointer}
        label={title}
      />
    )
  return (
    <SettingsContext value={isObject(entry) ? entry : {}}>
      <ObjectInput {...{ fields, pointer, onChange }} value={entry} hidden={['type']} />
    </SettingsContext>
  )
}

/** Whether none of its inputs shows problems itself. */
const isWhole = (entry: unknown, type: SourceType | undefined): boolean =>
  typeof entry === 'string' || type === undefined

function typeOf(entry: unknown): SourceType | undefined {
  if (typeof entry === 'string') return 'knowledge'
  const type = isObject(entry) ? entry['type'] : undefined
  return isSourceType(type) ? type : undefined
}
