import { KeyOutlined } from '@ant-design/icons'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { useMay } from '../../../session/use-session.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { useTellFailure } from '../../../ui/use-tell-failure.ts'
import { defineWords } from '../../../ui/words.ts'
import type { AgentRecord } from '../agent-record.ts'

const useWords = defineWords(
  {
    make: 'Create a token for this agent',
    name: (agent: string) => `Chat with ${agent}`,
    once: 'Copy the token now. You cannot view it again.',
    about: 'It can only chat with this agent. You can revoke it on the Access tokens page.',
    copy: 'Copy token',
    askAdmin: 'Ask an admin for a runner token that is bound to this agent.',
  },
  {
    make: '为这个智能体创建令牌',
    name: (agent: string) => `与 ${agent} 对话`,
    once: '请立即复制令牌，关闭后无法再次查看。',
    about: '它只能与这个智能体对话。可以在“访问令牌”页面吊销。',
    copy: '复制令牌',
    askAdmin: '请向管理员申请一个绑定此智能体的运行者令牌。',
  },
)

/** A token that talks to one agent and can do nothing else. */
export function RunnerToken({ agent }: { agent: AgentRecord }) {
  const words = useWords()
  const may = useMay()
  const tell = useTellFailure()
  const [token, setToken] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  if (!may.administer) return <p className="soft">{words.askAdmin}</p>
  const make = async (): Promise<void> => {
    setIsBusy(true)
    const name = words.name(agent.name).slice(0, 100)
    const body = { name, role: 'runner' as const, agent_ids: [agent.id] }
    await call('POST /api/v1/token/create', { body })
      .then(made => setToken(made.token), tell)
      .finally(() => setIsBusy(false))
  }
  if (token === undefined)
    return (
      <Button icon={<KeyOutlined />} loading={isBusy} onClick={make}>
        {words.make}
      </Button>
    )
  return (
    <Alert
      type="success"
      showIcon
      title={words.once}
      description={
        <>
          <p className="new-token">
            <code>{token}</code> <CopyButton size="small" text={token} label={words.copy} />
          </p>
          <p>{words.about}</p>
        </>
      }
    />
  )
}
