import type { ReactNode } from 'react'
import type { KindShape } from '../../../../../src/contract/kind-operations.ts'
import { defineWords } from '../../../ui/words.ts'
import { isObject, pointerBelow } from '../fits-shape.ts'
import type { InputProps } from './input-props.ts'
import { NestedInput } from './nested-input.tsx'
import { Problems } from './problems.tsx'
import { AddButton, moved, RowButtons, removed, replaced } from './row-buttons.tsx'

const useWords = defineWords(
  {
    add: (label: string) => `Add to ${label}`,
    // Most labels of lists are plurals: “Conditions”, “Branches”.
    entry: (label: string, place: number) => `${label.replace(/(?<=ss|ch)es$|s$/, '')} ${place}`,
  },
  { add: (label: string) => `添加${label}`, entry: (label: string, place: number) => `${label} ${place}` },
)

/** A list of values of one shape. */
export function ListInput({ shape, value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  const list = Array.isArray(value) ? (value as unknown[]) : []
  const of = shape.of ?? { is: 'anything' }
  return (
    <div className="field-stack">
      {list.map((entry, index) => {
        const place = pointerBelow(pointer, index)
        const name = words.entry(label, index + 1)
        return (
          <ListEntry
            key={place}
            shape={of}
            value={entry}
            onChange={next => onChange(replaced(list, index, next ?? emptyOf(of)))}
            pointer={place}
            label={name}
            buttons={
              <RowButtons
                name={name}
                isFirst={index === 0}
                isLast={index === list.length - 1}
                onMove={by => onChange(moved(list, index, by))}
                onRemove={() => onChange(removed(list, index))}
              />
            }
          />
        )
      })}
      <AddButton label={words.add(label)} onClick={() => onChange([...list, emptyOf(of)])} />
    </div>
  )
}

/** Objects are cards, anything else is a line. */
function ListEntry({ buttons, ...props }: InputProps & { buttons: ReactNode }) {
  const { shape, value, pointer, label } = props
  if (shape.is === 'object')
    return (
      <section className="card" data-place={pointer} aria-label={label}>
        <header className="card-head">
          <span className="item-title">{titleOf(value) ?? label}</span>
          {buttons}
        </header>
        <NestedInput {...props} />
        <Problems pointer={pointer} reach="here" />
      </section>
    )
  return (
    <div data-place={pointer}>
      <div className="row">
        <div className="row-input">
          <NestedInput {...props} />
        </div>
        {buttons}
      </div>
      <Problems pointer={pointer} reach="below" />
    </div>
  )
}

/** The initial value of a new entry. */
export function emptyOf(shape: KindShape): unknown {
  if (shape.is === 'list') return []
  if (shape.is === 'dictionary' || shape.is === 'object') return {}
  if (shape.is === 'number') return 0
  if (shape.is === 'boolean') return false
  return shape.is === 'anything' ? null : ''
}

function titleOf(entry: unknown): string | undefined {
  const name = isObject(entry) ? (entry['name'] ?? entry['id']) : undefined
  return typeof name === 'string' && name.trim() !== '' ? name : undefined
}
