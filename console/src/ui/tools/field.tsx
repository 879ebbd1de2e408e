import { type ReactNode, useId } from 'react'
import { invalidProps, ProblemLine } from './field-problem.tsx'
import './tool-form.css'

interface FieldProps {
  label: string
  help?: ReactNode
  /** Why the value cannot be used. */
  problem?: string | undefined
  /** Receives the id that the label points to, and the props of a field with a problem. */
  children: (id: string, invalid: ReturnType<typeof invalidProps>) => ReactNode
}

/** A labelled field with a help text. */
export function Field({ label, help, problem, children }: FieldProps) {
  const id = useId()
  const problemId = `${id}-problem`
  return (
    <div className="agent-field">
      <label htmlFor={id}>{label}</label>
      {children(id, invalidProps(problemId, problem !== undefined))}
      <ProblemLine id={problemId} text={problem} />
      {help !== undefined && <p className="soft small">{help}</p>}
    </div>
  )
}
