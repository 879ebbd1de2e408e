import { Alert } from 'antd'
import { BanyanDrawing } from '../ui/banyan-drawing.tsx'
import { PreferenceButtons } from '../ui/preference-buttons.tsx'
import { useDocumentTitle } from '../ui/use-document-title.ts'
import { defineWords } from '../ui/words.ts'
import { SignInForm } from './sign-in-form.tsx'

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

export function SignInPage({ isRefused = false }: { isRefused?: boolean }) {
  const words = useWords()
  useDocumentTitle(words.title)
  return (
    <main className="sign-in">
      <div className="sign-in-corner">
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
