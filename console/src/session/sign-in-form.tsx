import { Alert, Button, Form, Input } from 'antd'
import { defineWords } from '../ui/words.ts'
import { useSignIn } from './use-sign-in.ts'

const useWords = defineWords(
  { token: 'Access token', needed: 'Enter an access token', enter: 'Sign in' },
  { token: '访问令牌', needed: '请输入访问令牌', enter: '登录' },
)

export function SignInForm() {
  const words = useWords()
  const { signIn, problem, isBusy } = useSignIn()
  return (
    <Form<{ token: string }>
      layout="vertical"
      onFinish={({ token }) => signIn(token.trim())}
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
