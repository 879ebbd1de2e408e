import { ApiFailure } from '../api/api-failure.ts'
import { defineWords } from './words.ts'

const useWords = defineWords(
  {
    unreachable: 'Cannot reach the server. The data shown may be out of date; try again in a moment.',
    unexpected: 'Something went wrong in the console.',
    forbidden: 'Your token does not allow this. Ask an admin for a token with another role.',
    tooLarge:
      'A proxy in front of the server rejected the request as too large. Send less, or ask the system administrator to raise the proxy’s limit.',
    trace: (id: string) => `Trace ID: ${id}`,
    unsettled: 'Another user changed this workflow in the meantime. Merge both versions, then try again.',
    deleted: 'Another user deleted this workflow. Save it as a new one to keep it.',
  },
  {
    unreachable: '无法连接服务器。当前内容可能不是最新的，请稍后重试。',
    unexpected: '控制台出错了。',
    forbidden: '你的令牌没有这个权限，请向管理员申请其他角色的令牌。',
    tooLarge: '内容太大，被服务器前面的代理拒绝了。请减小内容，或请系统管理员调高代理的大小限制。',
    trace: (id: string) => `追踪 ID：${id}`,
    unsettled: '其他人刚刚修改了此工作流，请先合并两个版本再重试。',
    deleted: '此工作流已被其他人删除。另存为新工作流即可保留你的版本。',
  },
)

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/** What to tell a person about a failure. The server's own words are the most exact and are always shown. */
export function useFailureWords(): (error: unknown) => { title: string; details: string[] } {
  const words = useWords()
  return error => {
    // By name: the editor, which throws these, stands above this room.
    if (isNamed(error, 'UnsettledConflict')) return { title: words.unsettled, details: [] }
    if (isNamed(error, 'WorkflowDeleted')) return { title: words.deleted, details: [] }
    if (!(error instanceof ApiFailure))
      return { title: words.unexpected, details: [error instanceof Error ? error.message : String(error)] }
    if (error.reason === 'unreachable') return { title: words.unreachable, details: [] }
    if (error.reason === 'too_large_on_the_way') return { title: words.tooLarge, details: [] }
    const fields = error.errors.map(({ path, message }) => `${path} ${message}`.trim())
    const details = [...(error.reason === 'forbidden' ? [error.message] : []), ...fields]
    // Only a fault of the server's is looked up in its log.
    if (error.status >= 500 && error.traceId !== '') details.push(words.trace(error.traceId))
    return { title: error.reason === 'forbidden' ? words.forbidden : error.message, details }
  }
}
