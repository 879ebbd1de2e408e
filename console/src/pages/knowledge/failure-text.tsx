import { useLanguage } from '../../ui/preferences.ts'
import type { Text } from '../../ui/server-texts/error-texts.ts'
import { explainByText } from '../../ui/server-texts/message-facts.ts'

interface FailureTextProps {
  error: { code: string; message: string } | null | undefined
  /** Short texts by code. */
  texts: Readonly<Record<string, Text>>
  /** Text for a code that this console does not know. */
  other: Text
}

/** Why a document or web page failed: a short text by its code, then the server's message, or its facts in Chinese. */
export function FailureText({ error, texts, other }: FailureTextProps) {
  const language = useLanguage()
  if (!error) return null
  const { code, message } = error
  const text = Object.hasOwn(texts, code) ? texts[code]! : other
  const { title, rest } = explainByText(language, text, message)
  return (
    <span className="kb-danger small kb-document-failure">
      <strong>{title}</strong> {rest}
    </span>
  )
}
