import { Alert } from 'antd'
import type { CallData } from '../../api/operations.ts'
import { type Language, useLanguage } from '../../ui/preferences.ts'
import { explainModel } from '../../ui/server-texts/message-facts.ts'
import { useModelWords } from './model-words.ts'

export type Tested = CallData<'POST /api/v1/model/test'>

/** The result of a test: the answer of the model with its duration, or why it failed. */
export function ModelTestResult({ tested }: { tested: Tested }) {
  const words = useModelWords()
  const language = useLanguage()
  const locale = language === 'zh' ? 'zh-CN' : 'en'
  return (
    <Alert
      type={tested.ok ? 'success' : 'error'}
      showIcon
      role="status"
      title={tested.ok ? words.works(tested.latency_ms.toLocaleString(locale)) : words.fails}
      description={descriptionOf(tested, language)}
    />
  )
}

function descriptionOf({ code, message }: Tested, language: Language) {
  if (code === 'answered' || language === 'en') return message
  const { title, details } = explainModel(code, message)
  return [title, ...details].map(line => <div key={line}>{line}</div>)
}
