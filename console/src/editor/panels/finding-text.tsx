import { type Language, useLanguage } from '../../ui/preferences.ts'
import { explainField, factsIn } from '../../ui/server-texts/message-facts.ts'
import { chineseRules } from '../../ui/server-texts/rule-texts.ts'
import type { CheckFinding } from '../workflow-editor.ts'

/** What is wrong, in the language of the console. */
export function findingText(language: Language, { rule, path, message }: CheckFinding): string {
  if (language === 'en') return message
  const known = rule !== undefined && Object.hasOwn(chineseRules, rule) ? chineseRules[rule] : undefined
  if (known === undefined) return explainField(language, path, message)
  // The advice after a broken reference names other things, which are not wrong.
  const facts = /^(reference|secret|credential)_/.test(rule ?? '')
    ? factsIn(message).filter(fact => message.startsWith(fact))
    : factsIn(message)
  return facts.length > 0 ? `${known}（${facts.join('、')}）` : known
}

export const FindingText = ({ finding }: { finding: CheckFinding }) => findingText(useLanguage(), finding)
