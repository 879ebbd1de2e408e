import { LogoutOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { signOut } from '../../api/token.ts'
import { useSession } from '../../session/use-session.ts'
import { When } from '../../ui/when.tsx'
import { Facts } from './facts.tsx'
import { useSettingsWords } from './settings-words.ts'

export function WhoAmI() {
  const words = useSettingsWords()
  const { data: session } = useSession()
  if (!session) return null
  const { name, role, workspace_name, expires_at, is_operator } = session
  return (
    <>
      <Facts
        of={[
          [words.token, name],
          [words.role, words[role]],
          [words.workspace, workspace_name],
          [words.expires, expires_at === null ? words.never : <When time={expires_at} key="when" />],
          ...(is_operator ? ([[words.operator, words.operatorAbout]] as [string, string][]) : []),
        ]}
      />
      <Button icon={<LogoutOutlined />} className="settings-add" onClick={signOut}>
        {words.signOut}
      </Button>
    </>
  )
}
