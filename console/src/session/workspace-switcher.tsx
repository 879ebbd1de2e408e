import { CheckOutlined, PlusOutlined, SwapOutlined } from '@ant-design/icons'
import { Button, Dropdown, Modal } from 'antd'
import { useState } from 'react'
import { readSignIns } from '../api/sign-ins.ts'
import { keepToken, readToken } from '../api/token.ts'
import { defineWords } from '../ui/words.ts'
import { SignInForm } from './sign-in.tsx'

const useWords = defineWords(
  {
    label: 'Switch workspace',
    add: 'Sign in to another workspace…',
    title: 'Sign in to another workspace',
    about: 'You stay signed in to the current workspace and can switch back at any time.',
  },
  {
    label: '切换工作空间',
    add: '登录其他工作空间…',
    title: '登录其他工作空间',
    about: '当前工作空间保持登录，可以随时切换回来。',
  },
)

/** The sign-ins of this browser, to switch between workspaces without signing out. */
export function WorkspaceSwitcher() {
  const words = useWords()
  const [isAdding, setIsAdding] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const current = readToken()
  // Read when it opens: other tabs sign in, too.
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
      <Dropdown
        trigger={['click']}
        placement="topLeft"
        open={isOpen}
        onOpenChange={setIsOpen}
        menu={{
          items,
          onClick: ({ key }) => {
            setIsOpen(false)
            const chosen = signIns[Number(key)]
            if (key === 'add') setIsAdding(true)
            else if (chosen && chosen.token !== current) keepToken(chosen.token, chosen.workspaceId)
          },
        }}
      >
        <Button type="text" icon={<SwapOutlined />} aria-label={words.label} title={words.label} />
      </Dropdown>
      {isAdding && (
        <Modal open title={words.title} footer={null} onCancel={() => setIsAdding(false)}>
          <p>{words.about}</p>
          <SignInForm />
        </Modal>
      )}
    </>
  )
}
