import { type ReactNode, useState } from 'react'
import type { EditorLanguage } from '../../../ui/text-editor/languages.ts'
import { TextEditor } from '../../../ui/text-editor/text-editor.tsx'
import { useControl } from '../node-form.ts'
import { useReferences } from './use-references.ts'

interface TemplateInputProps {
  text: string
  onText(text: string): void
  pointer: string
  label: string
  look: 'line' | 'paragraph' | 'code'
  language?: EditorLanguage | undefined
  hasReferences?: boolean
  /** References that start with this name are values of the node itself. */
  local?: string | undefined
  /** Whether it may refer to secrets. */
  hasSecrets?: boolean
  isWrong?: boolean
  /** An additional button in the corner. */
  corner?: ReactNode
}

/** A text with references: shown as chips with the names of their nodes, and completed while typing. */
export function TemplateInput(props: TemplateInputProps) {
  const { text, onText, pointer, label, look, language, corner } = props
  const { hasReferences = true, hasSecrets = false, isWrong = false, local } = props
  const control = useControl(pointer)
  // Names of secrets are loaded once a field is used, not for each field that is shown.
  const [isUsed, setUsed] = useState(false)
  const references = useReferences({ pointer, local, hasSecrets, loadsSecrets: isUsed && hasSecrets })
  return (
    <TextEditor
      id={control.id}
      label={label}
      text={text}
      onText={onText}
      look={look}
      language={language}
      references={hasReferences ? references : undefined}
      isReadOnly={control.disabled}
      isInvalid={isWrong || control['aria-invalid']}
      describedBy={control['aria-describedby']}
      corner={corner}
      onFocus={() => setUsed(true)}
    />
  )
}
