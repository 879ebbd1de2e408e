import { type ReactNode, useId } from 'react'
import './tool-form.css'

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
