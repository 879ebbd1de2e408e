import { Alert, Button, Form, Input } from 'antd'
import { useState } from 'react'
import { ApiFailure } from '../api/api-failure.ts'
import { request } from '../api/request.ts'
import { keepToken } from '../api/token.ts'
import { BanyanDrawing } from '../ui/banyan-drawing.tsx'
import { PreferenceButtons } from '../ui/preference-buttons.tsx'
import { useDocumentTitle } from '../ui/use-document-title.ts'
import { defineWords } from '../ui/words.ts'

const useWords = defineWords(
  {
    title: 'Sign in',
    about: 'Workflows, knowledge and agents, on your own server.',
    token: 'Token',
    needed: 'Enter a token',
    enter: 'Sign in',
    where:
      'The first start of the server prints a link that signs you in, and keeps its token in the file bootstrap-token of its data folder. An admin makes further tokens.',
    wrong: 'This token is not known here. It may have been revoked, or have expired.',
    unreachable: 'The server cannot be reached. Is it running?',
  },
  {
    title: '登录',
    about: '工作流、知识库与智能体，都在你自己的服务器上。',
    token: '令牌',
    needed: '请输入令牌',
    enter: '登录',
    where:
      '服务器首次启动时会打印一个可直接登录的链接，并把令牌保存在数据目录的 bootstrap-token 文件中。管理员可以创建更多令牌。',
    wrong: '服务器不认识这个令牌：它可能已被撤销或已过期。',
    unreachable: '无法连接服务器，它在运行吗？',
  },
)

export function SignInPage() {
  const words = useWords()
  useDocumentTitle(words.title)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  const signIn = async ({ token }: { token: string }): Promise<void> => {
    setIsBusy(true)
    setProblem(undefined)
    try {
      const trimmed = token.trim()
      await request('/api/v1/token/self', { headers: { authorization: `Bearer ${trimmed}` } })
      keepToken(trimmed)
    } catch (error) {
      const isUnreachable = error instanceof ApiFailure && error.reason === 'unreachable'
      setProblem(isUnreachable ? words.unreachable : words.wrong)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <main className="sign-in">
      <div className="sign-in-corner">
        <PreferenceButtons />
      </div>
      <BanyanDrawing />
      <h1>Banyan</h1>
      <p className="soft">{words.about}</p>
      <Form layout="vertical" onFinish={signIn} requiredMark={false} className="sign-in-form">
        <Form.Item
          name="token"
          label={words.token}
          rules={[{ required: true, whitespace: true, message: words.needed }]}
        >
          <Input.Password size="large" autoFocus autoComplete="current-password" placeholder="banyan_…" />
        </Form.Item>
        {problem !== undefined && <Alert type="error" showIcon title={problem} role="alert" />}
        <Button type="primary" htmlType="submit" size="large" block loading={isBusy}>
          {words.enter}
        </Button>
      </Form>
      <p className="soft small">{words.where}</p>
    </main>
  )
}
