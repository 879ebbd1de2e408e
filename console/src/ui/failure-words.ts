import { ApiFailure } from '../api/api-failure.ts'
import { defineWords } from './words.ts'

const useWords = defineWords(
  {
    unreachable: 'The server cannot be reached. What you see may be old; try again in a moment.',
    unexpected: 'Something went wrong in the console.',
    forbidden: 'Your token does not allow this. Ask an admin for one with another role.',
    trace: (id: string) => `Trace id: ${id}`,
  },
  {
    unreachable: '无法连接服务器。当前内容可能不是最新的，请稍后重试。',
    unexpected: '控制台出了点问题。',
    forbidden: '你的令牌没有这个权限，请向管理员申请其他角色的令牌。',
    trace: (id: string) => `追踪号：${id}`,
  },
)

/** What to tell a person about a failure. The server's own words are the most exact and are always shown. */
export function useFailureWords(): (error: unknown) => { title: string; details: string[] } {
  const words = useWords()
  return error => {
    if (!(error instanceof ApiFailure))
      return { title: words.unexpected, details: [error instanceof Error ? error.message : String(error)] }
    if (error.reason === 'unreachable') return { title: words.unreachable, details: [] }
    const fields = error.errors.map(({ path, message }) => `${path} ${message}`.trim())
    const details = [...(error.reason === 'forbidden' ? [error.message] : []), ...fields]
    // Only a fault of the server's is looked up in its log.
    if (error.status >= 500 && error.traceId !== '') details.push(words.trace(error.traceId))
    return { title: error.reason === 'forbidden' ? words.forbidden : error.message, details }
  }
}
