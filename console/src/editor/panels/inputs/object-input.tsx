import { useState } from 'react'
import type { KindField } from '../../../../../src/contract/kind-operations.ts'
import { defineWords } from '../../../ui/words.ts'
import { hasParts, isObject, type JsonObject, pointerBelow, withKey } from '../fits-shape.ts'
import { useLocalized } from '../node-form.ts'
import { useUnfinishedText } from '../use-draft.ts'
import { withOthers } from '../with-others.ts'
import { FieldFrame } from './field-frame.tsx'
import type { InputProps } from './input-props.ts'
import { JsonInput } from './json-input.tsx'
import { NestedInput } from './nested-input.tsx'

const useWords = defineWords(
  {
    more: 'Other fields (JSON)',
    known: (name: string) => `“${name}” has its own field in this form; this text is not saved yet.`,
  },
  {
    more: '其他字段（JSON）',
    known: (name: string) => `“${name}”在表单中已有对应字段，这段内容尚未保存。`,
  },
)

/** One field of an object, with its label. */
export function FieldInput({
  field,
  value,
  onChange,
  pointer,
}: { field: KindField } & Pick<InputProps, 'value' | 'onChange' | 'pointer'>) {
  const localize = useLocalized()
  const label = localize(field.label)
  return (
    <FieldFrame
      pointer={pointer}
      label={label}
      help={field.help ? localize(field.help) : undefined}
      required={field.required}
      isGroup={hasParts(field.shape, value)}
    >
      <NestedInput shape={field.shape} value={value} onChange={onChange} pointer={pointer} label={label} />
    </FieldFrame>
  )
}

interface ObjectInputProps {
  fields: readonly KindField[]
  value: unknown
  onChange(value: unknown): void
  pointer: string
  /** Keys that are shown elsewhere. */
  hidden?: readonly string[]
  /** Whether the object is removed with its last key. */
  isOptional?: boolean
}

/** Known fields with their own inputs, unknown ones as JSON, so that they are visible and preserved. */
export function ObjectInput({ fields, value, onChange, pointer, hidden = [], isOptional }: ObjectInputProps) {
  const record: JsonObject = isObject(value) ? value : {}
  const change = (key: string, next: unknown): void => {
    const changed = withKey(record, key, next)
    onChange(isOptional && Object.keys(changed).length === 0 ? undefined : changed)
  }
  return (
    <div className="fields">
      {fields.map(field => (
        <FieldInput
          key={field.name}
          // An optional group that is not set requires nothing.
          field={isOptional && value === undefined ? { ...field, required: false } : field}
          value={record[field.name]}
          onChange={next => change(field.name, next)}
          pointer={pointerBelow(pointer, field.name)}
        />
      ))}
      <OtherFields
        record={record}
        known={[...hidden, ...fields.map(({ name }) => name)]}
        onChange={onChange}
        pointer={pointer}
      />
    </div>
  )
}

interface OtherFieldsProps {
  record: JsonObject
  known: readonly string[]
  onChange(value: JsonObject): void
  pointer: string
}

/** Fields without an input, as one JSON text. */
export function OtherFields({ record, known, onChange, pointer }: OtherFieldsProps) {
  const words = useWords()
  const place = `${pointer}/ others`
  const others = Object.entries(record).filter(([name]) => !known.includes(name))
  const isFilled = others.length > 0
  const { isKept } = useUnfinishedText(place)
  // Once shown it stays: a user who empties it may be about to type something else.
  const [isShown, setIsShown] = useState(isFilled || isKept)
  if (isFilled && !isShown) setIsShown(true)
  if (!isFilled && !isShown) return null
  const refuse = (value: unknown): string | undefined => {
    const name = isObject(value) && known.find(each => Object.hasOwn(value, each))
    return typeof name === 'string' ? words.known(name) : undefined
  }
  return (
    <FieldFrame pointer={place} label={words.more}>
      <JsonInput
        value={Object.fromEntries(others)}
        onChange={next => onChange(withOthers(record, known, isObject(next) ? next : {}))}
        pointer={place}
        label={words.more}
        must="object"
        refuse={refuse}
      />
    </FieldFrame>
  )
}
