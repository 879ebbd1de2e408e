import { type ComponentProps, type ReactNode, useId } from 'react'
import { TextEditor } from '../../../ui/text-editor/text-editor.tsx'
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

interface TextFieldProps extends Omit<ComponentProps<typeof TextEditor>, 'id' | 'look' | 'describedBy'> {
  help: string
}

/** A long text: it grows in the form, and can be opened in the large editor. */
export function TextField({ help, ...text }: TextFieldProps) {
  const id = useId()
  const helpId = `${id}-help`
  return (
    <div className="agent-field">
      <span className="agent-field-label">{text.label}</span>
      <TextEditor {...text} id={id} look="paragraph" describedBy={helpId} />
      <p className="soft small" id={helpId}>
        {help}
      </p>
    </div>
  )
}
