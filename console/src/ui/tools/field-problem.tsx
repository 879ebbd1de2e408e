import { useEffect, useRef } from 'react'

/** Why a field prevents saving. */
export interface FieldProblem {
  field: 'name' | 'url' | 'id' | 'headers' | 'oauth' | 'parameters' | 'json'
  text: string
}

const invalid = { status: 'error', 'aria-invalid': true } as const

type Invalid = Partial<typeof invalid & { 'aria-describedby': string }>

/** Props of an input whose problem, if any, is shown in the line with the id. */
export const invalidProps = (id: string, hasProblem: boolean): Invalid =>
  hasProblem ? { ...invalid, 'aria-describedby': id } : {}

/** The problem of a field, below it. */
export function ProblemLine({ id, text }: { id: string; text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p id={id} role="alert" className="small row-problem">
      {text}
    </p>
  )
}

/** Focuses the field with a problem whenever one is found, or else scrolls to a failure without a field. */
export function useFocusProblem(problem: object | undefined, failure: Error | null = null) {
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!problem && !failure) return
    const field = fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    field?.closest('details')?.setAttribute('open', '')
    if (field) field.focus()
    else fields.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: 'nearest' })
  }, [problem, failure])
  return fields
}
