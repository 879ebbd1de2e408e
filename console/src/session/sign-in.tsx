import { Alert, Button, Form, Input } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiFailure } from '../api/api-failure.ts'
import { requestAs } from '../api/request.ts'
import { declineOffer, keepToken, signOut } from '../api/token.ts'
import { BanyanDrawing } from '../ui/banyan-drawing.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useDocumentTitle } from '../ui/page.tsx'
import { PreferenceButtons } from '../ui/preference-buttons.tsx'
import { defineWords } from '../ui/words.ts'
import { useHolder, useSession } from './use-session.ts'

const useWords = defineWords(
  {
    title: 'Sign in',
    about: 'Workflows, knowledge and agents, on your own server.',
    refused: 'Your token is no longer valid: it was revoked or has expired.',
    where:
      'On its first start, the server prints a sign-in link and stores the token in the file bootstrap-token of its data directory. Admins can create more tokens.',
  },
  {
    title: '登录',
    about: '工作流、知识库与智能体，都在你自己的服务器上。',
    refused: '你的令牌已失效：可能已被吊销或已过期。',
    where:
      '服务器首次启动时会打印一个可直接登录的链接，并把令牌保存在数据目录的 bootstrap-token 文件中。管理员可以创建更多令牌。',
  },
)

/** `others` leads to other sign-ins of this browser. */
export function SignInPage({ isRefused = false, others }: { isRefused?: boolean; others?: ReactNode }) {
  const words = useWords()
  useDocumentTitle(words.title)
  return (
    <main className="sign-in">
      <div className="sign-in-corner">
        {others}
        <PreferenceButtons />
      </div>
      <BanyanDrawing />
      <h1>Banyan</h1>
      <p className="soft">{words.about}</p>
      {isRefused && <Alert type="warning" showIcon title={words.refused} />}
      <SignInForm />
      <p className="soft small">{words.where}</p>
    </main>
  )
}

const useSignInAgainWords = defineWords(
  {
    title: 'Sign in again',
    why: 'Your token is no longer valid: it was revoked or has expired.',
    kept: (workspace: string) =>
      `Nothing is lost: sign in with another token of the workspace ${workspace} to continue where you left off.`,
    signOut: 'Sign out',
    signOutAbout: 'Discards unsaved changes.',
  },
  {
    title: '请重新登录',
    why: '你的令牌已失效：可能已被吊销或已过期。',
    kept: (workspace: string) =>
      `内容不会丢失：用工作空间 ${workspace} 的另一个令牌登录后，可以继续刚才的操作。`,
    signOut: '退出登录',
    signOutAbout: '未保存的内容将被丢弃。',
  },
)

/** A dialog over the console, so that unsaved input is still there afterwards. */
export function SignInAgain({ workspace }: { workspace: string }) {
  const words = useSignInAgainWords()
  return (
    <Dialog open title={words.title} closable={false} keyboard={false} footer={null} zIndex={2000}>
      <p>{words.why}</p>
      <p>{words.kept(workspace)}</p>
      <SignInForm />
      <Button type="link" onClick={signOut}>
        {words.signOut}
      </Button>
      <span className="soft small">{words.signOutAbout}</span>
    </Dialog>
  )
}

const useOfferedTokenWords = defineWords(
  {
    title: 'Sign in with this link?',
    about: (name: string, workspace: string) =>
      `You are signed in as ${name} in the workspace ${workspace}. The link you opened signs in with another token, in all tabs.`,
    lost: 'If it belongs to another workspace, unsaved changes are discarded.',
    stay: 'Stay signed in',
    use: 'Use the link',
  },
  {
    title: '用该链接登录？',
    about: (name: string, workspace: string) =>
      `你已作为 ${name} 登录工作空间 ${workspace}。刚打开的链接会在所有标签页中改用另一个令牌登录。`,
    lost: '如果它属于其他工作空间，未保存的内容将被丢弃。',
    stay: '保持当前登录',
    use: '使用该链接',
  },
)

/** A sign-in link was opened while another token is in use: asks which one to use. */
export function OfferedToken() {
  const { offered } = useHolder()
  return offered === undefined ? null : <Question key={offered} token={offered} />
}

function Question({ token }: { token: string }) {
  const words = useOfferedTokenWords()
  const { isRefused } = useHolder()
  const { data: session } = useSession()
  const { signIn, problem, isBusy } = useSignIn()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as there is nothing left to stay with
  useEffect(() => {
    if (isRefused) void signIn(token)
  }, [isRefused])
  return (
    <Dialog
      open
      title={words.title}
      okText={words.use}
      cancelText={words.stay}
      confirmLoading={isBusy}
      zIndex={2100}
      onOk={() => signIn(token)}
      onCancel={declineOffer}
    >
      {session && <p>{words.about(session.name, session.workspace_name)}</p>}
      <p>{words.lost}</p>
      {problem !== undefined && <Alert type="error" showIcon title={problem} role="alert" />}
    </Dialog>
  )
}

const useSignInFormWords = defineWords(
  { token: 'Access token', needed: 'Enter an access token', enter: 'Sign in' },
  { token: '访问令牌', needed: '请输入访问令牌', enter: '登录' },
)

export function SignInForm({ onSignedIn }: { onSignedIn?: () => void }) {
  const words = useSignInFormWords()
  const { signIn, problem, isBusy } = useSignIn()
  const submit = async (token: string): Promise<void> => {
    if ((await signIn(token)) === undefined) onSignedIn?.()
  }
  return (
    <Form<{ token: string }>
      layout="vertical"
      onFinish={({ token }) => submit(token.trim())}
      requiredMark={false}
      className="sign-in-form"
    >
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
  )
}

const useSignInWords = defineWords(
  {
    wrong: 'Invalid token. It may have been revoked or have expired.',
    unreachable: 'Cannot reach the server. Is it running?',
  },
  {
    wrong: '令牌无效：可能已被吊销或已过期。',
    unreachable: '无法连接服务器，它在运行吗？',
  },
)

/** Validates a token with the server and signs in with it; otherwise reports and returns the problem. */
export function useSignIn() {
  const words = useSignInWords()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const signIn = async (token: string): Promise<string | undefined> => {
    setIsBusy(true)
    setProblem(undefined)
    try {
      const response = await requestAs(token, '/api/v1/token/self')
      const { data } = (await response.json()) as { data: { workspace_id: string } }
      keepToken(token, data.workspace_id)
      return undefined
    } catch (error) {
      const isUnreachable = error instanceof ApiFailure && error.reason === 'unreachable'
      const found = isUnreachable ? words.unreachable : words.wrong
      setProblem(found)
      return found
    } finally {
      setIsBusy(false)
    }
  }
  return { signIn, problem, isBusy }
}
