import type { ReactNode } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { defineWords } from '../../../ui/words.ts'
import { caseIds } from '../case-edits.ts'
import { isObject, type JsonObject, pointerBelow } from '../fits-shape.ts'
import { inputId, problemsId, useNodeForm, useProblems } from '../node-form.ts'
import { CommittedInput } from './committed-input.tsx'
import { OtherFields } from './object-input.tsx'
import { Problems } from './problems.tsx'
import { AddButton, moved, RowButtons, removed, replaced } from './row-buttons.tsx'

const useWords = defineWords(
  {
    id: (place: number) => `ID of branch ${place}`,
    entry: (id: string) => `Branch ${id}`,
    empty: 'Enter an ID; connections refer to the branch by it.',
    twice: 'Another branch already uses this ID.',
  },
  {
    id: (place: number) => `第 ${place} 个分支的 ID`,
    entry: (id: string) => `分支 ${id}`,
    empty: '请填写分支 ID，连线通过它引用分支。',
    twice: '已有分支使用此 ID。',
  },
)

export interface CaseProps {
  each: JsonObject
  index: number
  pointer: string
  onChange(each: JsonObject): void
}

interface CasesInputProps {
  cases: readonly JsonObject[]
  onChange(cases: readonly JsonObject[]): void
  pointer: string
  /** The id prefix of a new branch. */
  prefix: string
  /** The index of a new branch: an "otherwise" branch stays last. */
  placeOfNew(cases: readonly JsonObject[]): number
  fresh: JsonObject
  addLabel: string
  known: readonly string[]
  badge?(each: JsonObject, index: number): string | undefined
  children(props: CaseProps): ReactNode
}

/** The branches of a node, each with the id that edges refer to. */
export function CasesInput(props: CasesInputProps) {
  const { cases, onChange, pointer, prefix, placeOfNew, fresh, addLabel, known, badge, children } = props
  const words = useWords()
  const ids = caseIds(cases)
  const refuse = (index: number) => (text: string) => {
    if (text.trim() === '') return words.empty
    return ids.some((id, place) => place !== index && id === text) ? words.twice : undefined
  }
  const add = (): void => {
    let number = 1
    while (ids.includes(`${prefix}_${number}`)) number += 1
    onChange(cases.toSpliced(placeOfNew(cases), 0, { id: `${prefix}_${number}`, ...fresh }))
  }
  return (
    <div className="field-stack">
      {cases.map((each, index) => {
        const place = pointerBelow(pointer, index)
        const change = (next: JsonObject): void => onChange(replaced(cases, index, next))
        const name = words.entry(ids[index] || String(index + 1))
        return (
          <section className="card" key={place} data-place={place} aria-label={name}>
            <header className="card-head">
              <CaseId
                pointer={pointerBelow(place, 'id')}
                label={words.id(index + 1)}
                value={ids[index] ?? ''}
                refuse={refuse(index)}
                onCommit={id => change({ ...each, id })}
              />
              {badge?.(each, index) !== undefined && <Badge tone="good">{badge(each, index)}</Badge>}
              <RowButtons
                name={name}
                isFirst={index === 0}
                isLast={index === cases.length - 1}
                onMove={by => onChange(moved(cases, index, by))}
                onRemove={() => onChange(removed(cases, index))}
              />
            </header>
            <Problems pointer={pointerBelow(place, 'id')} reach="below" />
            {children({ each, index, pointer: place, onChange: change })}
            <OtherFields record={each} known={known} onChange={change} pointer={place} />
            <Problems pointer={place} reach="here" />
          </section>
        )
      })}
      <AddButton label={addLabel} onClick={add} />
    </div>
  )
}

function CaseId(props: {
  pointer: string
  label: string
  value: string
  refuse(text: string): string | undefined
  onCommit(id: string): void
}) {
  const { isReadOnly } = useNodeForm()
  const problems = useProblems(props.pointer, 'below')
  return (
    <div className="case-id" data-place={props.pointer}>
      <CommittedInput
        {...props}
        id={inputId(props.pointer)}
        disabled={isReadOnly}
        describedBy={problems.length > 0 ? problemsId(props.pointer) : undefined}
      />
    </div>
  )
}

/** Arrays of anything but objects are edited as JSON. */
export const areCases = (value: unknown): value is readonly JsonObject[] | undefined =>
  value === undefined ||
  (Array.isArray(value) &&
    value.every(each => isObject(each) && (each['id'] === undefined || typeof each['id'] === 'string')))
