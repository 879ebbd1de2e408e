import { CheckOutlined, PlusOutlined, SwapOutlined } from '@ant-design/icons'
import { App, Button } from 'antd'
import { useState } from 'react'
import { readSignIns, type SignIn } from '../api/sign-ins.ts'
import { readHolder } from '../api/token.ts'
import { ActionMenu } from '../ui/action-menu.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { hasUnsavedInput } from '../ui/use-unsaved-input.ts'
import { defineWords } from '../ui/words.ts'
import { SignInForm, useSignIn } from './sign-in.tsx'

const useWords = defineWords(
  {
    label: 'Switch workspace',
    add: 'Sign in to another workspace…',
    title: 'Sign in to another workspace',
    about:
      'You stay signed in to the current workspace and can switch back at any time. Its unsaved changes are discarded.',
    unsaved: 'Discard unsaved changes?',
    unsavedAbout: 'Unsaved changes in the current workspace will be lost.',
    discard: 'Discard and switch',
    cancel: 'Cancel',
  },
  {
    label: '切换工作空间',
    add: '登录其他工作空间…',
    title: '登录其他工作空间',
    about: '当前工作空间保持登录，可以随时切换回来，但其中未保存的内容将被丢弃。',
    unsaved: '放弃未保存的内容？',
    unsavedAbout: '当前工作空间中未保存的内容会丢失。',
    discard: '放弃并切换',
    cancel: '取消',
  },
)

/** The sign-ins of this browser, to switch between workspaces without signing out. */
export function WorkspaceSwitcher() {
  const words = useWords()
  const [isAdding, setIsAdding] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const { message, modal } = App.useApp()
  const { signIn } = useSignIn()
  const { token: current, workspaceId } = readHolder()
  const switchTo = async (chosen: SignIn): Promise<void> => {
    const isLost = chosen.workspaceId !== workspaceId && hasUnsavedInput()
    const question = { title: words.unsaved, content: words.unsavedAbout }
    const buttons = { okText: words.discard, cancelText: words.cancel }
    if (isLost && !(await modal.confirm({ ...question, ...buttons }))) return
    // The token is checked before switching, because with a revoked one there would be no way back.
    const problem = await signIn(chosen.token)
    if (problem !== undefined) message.error(problem)
  }
  // Read when the menu opens, because other tabs sign in, too.
  const signIns = isOpen ? readSignIns() : []
  const items = [
    ...signIns.map(({ token, workspace, name }, at) => ({
      key: String(at),
      label: `${workspace} · ${name}`,
      icon: token === current ? <CheckOutlined /> : <span className="switcher-space" />,
    })),
    { key: 'add', label: words.add, icon: <PlusOutlined /> },
  ]
  return (
    <>
      <ActionMenu
        placement="topLeft"
        open={isOpen}
        onOpenChange={setIsOpen}
        menu={{
          items,
          onClick: ({ key }) => {
            setIsOpen(false)
            const chosen = signIns[Number(key)]
            if (key === 'add') setIsAdding(true)
            else if (chosen && chosen.token !== current) void switchTo(chosen)
          },
        }}
      >
        <Button type="text" icon={<SwapOutlined />} aria-label={words.label} title={words.label} />
      </ActionMenu>
      {isAdding && (
        <Dialog open title={words.title} footer={null} onCancel={() => setIsAdding(false)}>
          <p>{words.about}</p>
          <SignInForm onSignedIn={() => setIsAdding(false)} />
        </Dialog>
      )}
    </>
  )
}
