import { useState } from 'react'
import { ApiFailure } from '../api/api-failure.ts'
import { requestAs } from '../api/request.ts'
import { keepToken } from '../api/token.ts'
import { defineWords } from '../ui/words.ts'

const useWords = defineWords(
  {
    wrong: 'Invalid token. It may have been revoked or have expired.',
    unreachable: 'Cannot reach the server. Is it running?',
  },
  {
    wrong: '令牌无效：可能已被吊销或已过期。',
    unreachable: '无法连接服务器，它在运行吗？',
  },
)

/** Asks the server about a token and signs in with it; tells what is wrong otherwise. */
export function useSignIn() {
  const words = useWords()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const signIn = async (token: string): Promise<void> => {
    setIsBusy(true)
    setProblem(undefined)
    try {
      const response = await requestAs(token, '/api/v1/token/self')
      const { data } = (await response.json()) as { data: { workspace_id: string } }
      keepToken(token, data.workspace_id)
    } catch (error) {
      const isUnreachable = error instanceof ApiFailure && error.reason === 'unreachable'
      setProblem(isUnreachable ? words.unreachable : words.wrong)
    } finally {
      setIsBusy(false)
    }
  }
  return { signIn, problem, isBusy }
}
