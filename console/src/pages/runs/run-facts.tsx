import type { ReactNode } from 'react'
import type { RunDetails } from '../../editor/runs/run-view.ts'
import { useRunWords } from '../../editor/runs/run-words.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { pathTo } from '../../ui/router.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { useNames } from './use-names.ts'

const useWords = defineWords(
  {
    workflow: 'Workflow',
    version: (number: number) => `version ${number}`,
    agent: 'Agent',
    conversation: 'Conversation',
    user: 'User',
    trigger: 'Type',
    started: 'Started',
    id: 'Run ID',
    copy: 'Copy run ID',
  },
  {
    workflow: '工作流',
    version: (number: number) => `版本 ${number}`,
    agent: '智能体',
    conversation: '对话',
    user: '用户',
    trigger: '类型',
    started: '开始时间',
    id: '运行 ID',
    copy: '复制运行 ID',
  },
)

/** Where a run comes from, with the ways there. */
export function RunFacts({ details }: { details: RunDetails }) {
  const words = useWords()
  const runWords = useRunWords()
  const { workflowName, agentName } = useNames()
  const { workflow_id, agent_id, conversation_id, user_id, version, run_id } = details
  return (
    <dl className="run-facts">
      {workflow_id !== '' && (
        <Fact name={words.workflow}>
          <a href={pathTo('workflows', workflow_id)}>{workflowName(workflow_id)}</a>{' '}
          {version > 0 && <span className="soft small">{words.version(version)}</span>}
        </Fact>
      )}
      {agent_id !== '' && (
        <Fact name={words.agent}>
          <a href={pathTo('agents', agent_id)}>{agentName(agent_id)}</a>
        </Fact>
      )}
      {conversation_id !== '' && (
        <Fact name={words.conversation}>
          <a href={pathTo('agents', agent_id, 'chat', conversation_id)}>{conversation_id}</a>
        </Fact>
      )}
      {user_id !== '' && <Fact name={words.user}>{user_id}</Fact>}
      <Fact name={words.trigger}>{runWords[details.trigger]}</Fact>
      <Fact name={words.started}>
        <When time={details.created_at} />
      </Fact>
      <Fact name={words.id}>
        <code>{run_id}</code>
        <CopyButton text={run_id} label={words.copy} size="small" />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
