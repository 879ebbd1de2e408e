import { useLanguage } from '../../ui/preferences.ts'
import type { CheckFinding } from '../workflow-editor.ts'
import { chineseByRule } from './chinese-by-rule.ts'

/** A sentence to go before the server's own words where the reader may not know their language; undefined otherwise. */
export function useRuleSentence(): (finding: CheckFinding) => string | undefined {
  const language = useLanguage()
  return ({ rule }) =>
    language === 'zh' && rule !== undefined && Object.hasOwn(chineseByRule, rule)
      ? chineseByRule[rule]
      : undefined
}
