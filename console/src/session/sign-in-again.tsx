import { Button, Modal } from 'antd'
import { signOut } from '../api/token.ts'
import { defineWords } from '../ui/words.ts'
import { SignInForm } from './sign-in-form.tsx'

const useWords = defineWords(
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

/** Lies over the console, so that what was typed there is still there afterwards. */
export function SignInAgain({ workspace }: { workspace: string }) {
  const words = useWords()
  return (
    <Modal open title={words.title} closable={false} keyboard={false} footer={null} zIndex={2000}>
      <p>{words.why}</p>
      <p>{words.kept(workspace)}</p>
      <SignInForm />
      <Button type="link" onClick={signOut}>
        {words.signOut}
      </Button>
      <span className="soft small">{words.signOutAbout}</span>
    </Modal>
  )
}
