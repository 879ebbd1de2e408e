import type { KindField, KindShape } from '../../../../../src/contract/kind-operations.ts'
import { defineWords } from '../../../ui/words.ts'
import { isObject, withKey } from '../fits-shape.ts'
import { useSay } from '../node-form.ts'
import { pointerBelow } from '../pointer.ts'
import { JsonInput } from './json-input.tsx'
import { NestedInput } from './nested-input.tsx'
import { OtherFields } from './object-input.tsx'
import { Problems } from './problems.tsx'
import { RowButtons } from './row-buttons.tsx'

const useWords = defineWords(
  { clause: (place: number) => `Condition ${place}` },
  { clause: (place: number) => `条件 ${place}` },
)

/** Comparisons that look at one side only. */
const oneSided: readonly unknown[] = ['empty', 'not_empty']

interface ClauseInputProps {
  shape: KindShape
  value: unknown
  index: number
  pointer: string
  onChange(value: unknown): void
  onRemove(): void
}

/** One comparison: a value, how it is compared, and with what. */
export function ClauseInput({ shape, value, index, pointer, onChange, onRemove }: ClauseInputProps) {
  const words = useWords()
  const say = useSay()
  const name = words.clause(index + 1)
  if (!isObject(value))
    return (
      <JsonInput
        value={value}
        onChange={next => onChange(next ?? {})}
        pointer={pointer}
        label={name}
        hasReferences
      />
    )
  const fields = shape.fields ?? []
  // What is not compared with anything is not asked for, unless something stands there already.
  const shown = fields.filter(
    field => field.name !== 'right' || !oneSided.includes(value['op']) || (value['right'] ?? '') !== '',
  )
  const input = (field: KindField) => {
    const place = pointerBelow(pointer, field.name)
    return (
      <div key={field.name} className={`clause-${field.name}`} data-place={place}>
        <NestedInput
          shape={field.shape}
          value={value[field.name]}
          onChange={next => onChange(withKey(value, field.name, next))}
          pointer={place}
          label={`${name}: ${say(field.label)}`}
        />
        <Problems pointer={place} reach="below" />
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend to be seen
    <div className="clause" role="group" aria-label={name} data-place={pointer}>
      {shown.map(input)}
      <div className="clause-buttons">
        <RowButtons name={name} onRemove={onRemove} />
      </div>
      <OtherFields
        record={value}
        known={fields.map(field => field.name)}
        onChange={onChange}
        pointer={pointer}
      />
      <Problems pointer={pointer} reach="here" />
    </div>
  )
}
