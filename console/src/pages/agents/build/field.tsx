import { type ReactNode, useId } from 'react'
import type { AgentDraft } from './agent-draft.ts'

interface FieldProps {
  label: string
  help?: ReactNode
  /** Receives the id that the label points to. */
  children: (id: string) => ReactNode
}

/** A labelled field with a help text. */
export function Field({ label, help, children }: FieldProps) {
  const id = useId()
  return (
    <div className="agent-field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {help !== undefined && <p className="soft small">{help}</p>}
    </div>
  )
}

/** A group of fields. */
export function FieldGroup({
  title,
  about,
  children,
}: {
  title: string
  about?: string
  children: ReactNode
}) {
  return (
    <section className="field-group" aria-label={title}>
      <h2>{title}</h2>
      {about !== undefined && <p className="soft">{about}</p>}
      {children}
    </section>
  )
}

/** Props of every section of the form. */
export interface PartProps {
  draft: AgentDraft
  edit: (change: Partial<AgentDraft>) => void
  isDisabled: boolean
}
