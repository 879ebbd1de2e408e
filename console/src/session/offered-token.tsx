import { Alert, Modal } from 'antd'
import { useEffect } from 'react'
import { declineOffer } from '../api/token.ts'
import { defineWords } from '../ui/words.ts'
import { useHolder, useSession } from './use-session.ts'
import { useSignIn } from './use-sign-in.ts'

const useWords = defineWords(
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

/** Somebody's sign-in link was opened while another token is in use: which of them is meant, is asked. */
export function OfferedToken() {
  const { offered } = useHolder()
  return offered === undefined ? null : <Question key={offered} token={offered} />
}

function Question({ token }: { token: string }) {
  const words = useWords()
  const { isRefused } = useHolder()
  const { data: session } = useSession()
  const { signIn, problem, isBusy } = useSignIn()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as there is nothing left to stay with
  useEffect(() => {
    if (isRefused) void signIn(token)
  }, [isRefused])
  return (
    <Modal
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
    </Modal>
  )
}
