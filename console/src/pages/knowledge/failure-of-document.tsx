import { useLanguage } from '../../ui/preferences.ts'
import { documentFailureTexts, otherDocumentFailure } from '../../ui/server-texts/document-failure-texts.ts'
import { factsIn } from '../../ui/server-texts/message-facts.ts'
import type { KnowledgeDocument } from './use-knowledge.ts'

/** Why a document failed: in short by its code, then in English the server's sentence, in Chinese the facts of it. */
export function FailureOfDocument({ document }: { document: KnowledgeDocument }) {
  const language = useLanguage()
  if (!document.error) return null
  const { code, message } = document.error
  const text = Object.hasOwn(documentFailureTexts, code)
    ? documentFailureTexts[code as keyof typeof documentFailureTexts]
    : otherDocumentFailure
  const facts = language === 'en' ? message : factsIn(message).join('、')
  return (
    <span className="kb-danger small kb-document-failure">
      <strong>{text[language]}</strong> {facts}
    </span>
  )
}
