import { Alert, Button } from 'antd'
import { useFailureWords } from './failure-words.ts'
import { defineWords } from './words.ts'

const useWords = defineWords({ again: 'Try again' }, { again: '重试' })

/** A failure where something should have been shown. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: (() => unknown) | undefined }) {
  const words = useWords()
  const { title, details } = useFailureWords()(error)
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      className="failure"
      title={title}
      {...(details.length > 0 && { description: details.map(line => <div key={line}>{line}</div>) })}
      {...(onRetry && {
        action: (
          <Button size="small" onClick={() => onRetry()}>
            {words.again}
          </Button>
        ),
      })}
    />
  )
}
