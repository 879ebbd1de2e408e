import { Alert, App, Button } from 'antd'
import { ApiFailure } from '../api/api-failure.ts'
import { useLanguage } from './preferences.ts'
import { errorTexts } from './server-texts/error-texts.ts'
import { explain, explainField, joinSentences } from './server-texts/message-facts.ts'
import { defineWords } from './words.ts'

const useWords = defineWords({ again: 'Try again' }, { again: '重试' })

interface FailureProps {
  error: unknown
  onRetry?: (() => unknown) | undefined
  /** Whether data that was loaded earlier is shown. */
  isOutdated?: boolean
}

/** A failure in place of content. */
export function Failure({ error, onRetry, isOutdated = false }: FailureProps) {
  const words = useWords()
  const { title, details } = useFailureWords({ isOutdated })(error)
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      className="failure"
      title={title}
      {...((details.length > 0 || onRetry) && {
        description: (
          <>
            {details.map(line => (
              <div key={line}>{line}</div>
            ))}
            {/* Below the text, which a button beside it would squeeze. */}
            {onRetry && (
              <Button size="small" className="failure-button" onClick={() => onRetry()}>
                {words.again}
              </Button>
            )}
          </>
        ),
      })}
    />
  )
}

interface QueryFailureProps {
  query: { error: unknown; data: unknown; refetch(): unknown }
}

/** The failure of a query, in place of its data or beside data that was loaded earlier. */
export const QueryFailure = ({ query }: QueryFailureProps) => (
  <Failure error={query.error} onRetry={() => query.refetch()} isOutdated={query.data !== undefined} />
)

/** Props of a select whose options come from a query: why there are none, in place of "No data". */
export function useOptionsFailure(query: { error: unknown }): { notFoundContent?: string } {
  const wordsOf = useFailureWords()
  return query.error ? { notFoundContent: wordsOf(query.error).title } : {}
}

const useErrorWords = defineWords(
  {
    unreachable: 'Cannot reach the server. Try again in a moment.',
    outdated: 'Cannot reach the server. The data shown may be out of date; try again in a moment.',
    unexpected: 'Something went wrong in the console.',
    tooLarge:
      'A proxy in front of the server rejected the request as too large. Send less, or ask the system administrator to raise the proxy’s limit.',
    trace: (id: string) => `Trace ID: ${id}`,
    unsettled: 'Another user changed this workflow in the meantime. Merge both versions, then try again.',
    deleted: 'Another user deleted this workflow. Save it as a new one to keep it.',
  },
  {
    unreachable: '无法连接服务器，请稍后重试。',
    outdated: '无法连接服务器。当前内容可能不是最新的，请稍后重试。',
    unexpected: '控制台出错了。',
    tooLarge: '内容太大，被服务器前面的代理拒绝了。请减小内容，或请系统管理员调高代理的大小限制。',
    trace: (id: string) => `追踪 ID：${id}`,
    unsettled: '其他人刚刚修改了此工作流，请先合并两个版本再重试。',
    deleted: '此工作流已被其他人删除。另存为新工作流即可保留你的版本。',
  },
)

const withoutColons = (text: string): string => text.replaceAll(':', '')

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/** The texts of a failure: the server's own sentence in English, a text for the reason in Chinese. */
export function useFailureWords({ isOutdated = false } = {}): (error: unknown) => {
  title: string
  details: string[]
} {
  const words = useErrorWords()
  const language = useLanguage()
  return error => {
    // Recognised by name, because this room must not import the editor, which throws these.
    if (isNamed(error, 'UnsettledConflict')) return { title: words.unsettled, details: [] }
    if (isNamed(error, 'WorkflowDeleted')) return { title: words.deleted, details: [] }
    if (!(error instanceof ApiFailure))
      return { title: words.unexpected, details: [error instanceof Error ? error.message : String(error)] }
    if (error.reason === 'unreachable')
      return { title: isOutdated ? words.outdated : words.unreachable, details: [] }
    if (error.reason === 'too_large_on_the_way') return { title: words.tooLarge, details: [] }
    const { title, details } = explain(language, error.reason, error.message)
    // The role that a token lacks is named only in the server's sentence.
    if (error.reason === 'forbidden')
      return { title: errorTexts.forbidden[language], details: language === 'en' ? [title] : details }
    const fields = error.errors
      .map(({ path, message }) => explainField(language, path, message))
      // With one field, the title is about it already.
      .filter(field => withoutColons(field) !== withoutColons(title))
    // Only errors of the server itself are in its log.
    const trace = error.status >= 500 && error.traceId !== '' ? [words.trace(error.traceId)] : []
    return { title, details: [...(error.errors.length > 0 ? [] : details), ...fields, ...trace] }
  }
}

/** Shows a failed action as a toast; the page stays as it is. */
export function useFailureToast(): (error: unknown) => void {
  const { message } = App.useApp()
  const wordsOf = useFailureWords()
  return error => {
    const { title, details } = wordsOf(error)
    message.error(joinSentences([title, ...details]), 6)
  }
}
