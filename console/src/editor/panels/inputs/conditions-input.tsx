import { Segmented } from 'antd'
import type { KindField, KindShape } from '../../../../../src/contract/kind-operations.ts'
import { defineWords } from '../../../ui/words.ts'
import { fitsShape, isObject, type JsonObject, pointerBelow, withKey } from '../fits-shape.ts'
import { useLocalized, useNodeForm } from '../node-form.ts'
import { type CaseProps, CasesInput } from './cases-input.tsx'
import { JsonInput } from './json-input.tsx'
import { NestedInput } from './nested-input.tsx'
import { OtherFields } from './object-input.tsx'
import { Problems } from './problems.tsx'
import { AddButton, RowButtons, removed, replaced } from './row-buttons.tsx'

const useWords = defineWords(
  {
    add: 'Add a branch',
    addClause: 'Add a condition',
    otherwise: 'otherwise',
    all: 'all match',
    any: 'any matches',
    match: 'How the conditions of this branch are combined',
    elseHint: 'A branch without conditions is taken if no branch above matches.',
    conditions: 'Conditions',
  },
  {
    add: '添加分支',
    addClause: '添加条件',
    otherwise: '否则',
    all: '全部满足',
    any: '任一满足',
    match: '此分支的条件如何组合',
    elseHint: '没有条件：上面的分支都不满足时走这里。',
    conditions: '条件',
  },
)

const clausesOf = (each: JsonObject): readonly unknown[] => (each['when'] ?? []) as readonly unknown[]
const isElse = (each: JsonObject): boolean =>
  Array.isArray(each['when'] ?? []) && clausesOf(each).length === 0

interface ConditionsInputProps {
  shape: KindShape
  value: readonly JsonObject[] | undefined
  onChange(value: unknown): void
  pointer: string
}

/** The branches of a condition, tested from top to bottom. */
export function ConditionsInput({ shape, value = [], onChange, pointer }: ConditionsInputProps) {
  const words = useWords()
  const clause = shape.of?.fields?.find(({ name }) => name === 'when')?.shape.of
  return (
    <CasesInput
      cases={value}
      {...{ onChange, pointer }}
      prefix="case"
      fresh={{ match: 'all', when: [{ left: '', op: 'equals', right: '' }] }}
      placeOfNew={cases => (cases.length > 0 && isElse(cases.at(-1)!) ? cases.length - 1 : cases.length)}
      addLabel={words.add}
      known={['id', 'match', 'when']}
      badge={each => (isElse(each) ? words.otherwise : undefined)}
    >
      {props => <CaseConditions {...props} clause={clause} />}
    </CasesInput>
  )
}

function CaseConditions({ each, pointer, onChange, clause }: CaseProps & { clause: KindShape | undefined }) {
  const words = useWords()
  const { isReadOnly } = useNodeForm()
  const when = pointerBelow(pointer, 'when')
  if (!clause || !fitsShape({ is: 'list' }, each['when']))
    return (
      <JsonInput
        value={each['when']}
        onChange={next => onChange(withKey(each, 'when', next))}
        pointer={when}
        label={words.conditions}
        hasReferences
      />
    )
  const clauses = clausesOf(each)
  const change = (next: readonly unknown[]): void => onChange({ ...each, when: next })
  return (
    <div className="field-stack" data-place={when}>
      {clauses.length > 1 && (
        <Segmented<string>
          size="small"
          aria-label={words.match}
          disabled={isReadOnly}
          value={each['match'] === 'any' ? 'any' : 'all'}
          onChange={match => onChange({ ...each, match })}
          options={[
            { value: 'all', label: words.all },
            { value: 'any', label: words.any },
          ]}
        />
      )}
      {clauses.map((one, index) => (
        <ClauseInput
          key={pointerBelow(when, index)}
          shape={clause}
          value={one}
          index={index}
          pointer={pointerBelow(when, index)}
          onChange={next => change(replaced(clauses, index, next))}
          onRemove={() => change(removed(clauses, index))}
        />
      ))}
      {clauses.length === 0 && <p className="soft small hint">{words.elseHint}</p>}
      <Problems pointer={when} reach="here" />
      <AddButton
        label={words.addClause}
        onClick={() => change([...clauses, { left: '', op: 'equals', right: '' }])}
      />
    </div>
  )
}

const useClauseInputWords = defineWords(
  { clause: (place: number) => `Condition ${place}` },
  { clause: (place: number) => `条件 ${place}` },
)

/** Operators with one operand. */
const oneSided: readonly unknown[] = ['empty', 'not_empty', 'exists', 'not_exists']

/** Whether an empty field of a comparison is shown: no operand for unary operators, and a field of files only. */
function isAskedFor(name: string, { left, op }: JsonObject): boolean {
  if (name === 'right') return !oneSided.includes(op)
  return name !== 'field' || (typeof left === 'string' && left.includes('files'))
}

interface ClauseInputProps {
  shape: KindShape
  value: unknown
  index: number
  pointer: string
  onChange(value: unknown): void
  onRemove(): void
}

/** One comparison: a value, an operator and an operand. */
function ClauseInput({ shape, value, index, pointer, onChange, onRemove }: ClauseInputProps) {
  const words = useClauseInputWords()
  const localize = useLocalized()
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
  const shown = fields.filter(({ name }) => (value[name] ?? '') !== '' || isAskedFor(name, value))
  const input = (field: KindField) => {
    const place = pointerBelow(pointer, field.name)
    return (
      <div key={field.name} className={`clause-${field.name}`} data-place={place}>
        {field.name === 'field' && <span className="soft small">{localize(field.label)}</span>}
        <NestedInput
          shape={field.shape}
          value={value[field.name]}
          onChange={next => onChange(withKey(value, field.name, next))}
          pointer={place}
          label={`${name}: ${localize(field.label)}`}
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
