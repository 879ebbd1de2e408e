import { Alert } from 'antd'
import type { CallData } from '../../api/operations.ts'
import { useLanguage } from '../../ui/preferences.ts'
import { useModelWords } from './model-words.ts'

export type Tested = CallData<'POST /api/v1/model/test'>

/** Whether a model answered, after how long, and what it or the server said. */
export function ModelTestResult({ tested }: { tested: Tested }) {
  const words = useModelWords()
  const locale = useLanguage() === 'zh' ? 'zh-CN' : 'en'
  return (
    <Alert
      type={tested.ok ? 'success' : 'error'}
      showIcon
      role="status"
      title={tested.ok ? words.works(tested.latency_ms.toLocaleString(locale)) : words.fails}
      description={tested.message}
    />
  )
}
