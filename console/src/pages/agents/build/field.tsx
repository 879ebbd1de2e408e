import type { ReactNode } from 'react'
import type { AgentDraft } from './agent-draft.ts'

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
