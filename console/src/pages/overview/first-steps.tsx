import {
  ApiOutlined,
  CommentOutlined,
  FileAddOutlined,
  NodeIndexOutlined,
  RightOutlined,
  RobotOutlined,
} from '@ant-design/icons'
import type { ReactNode } from 'react'
import { useMay } from '../../session/use-session.ts'
import { pathTo } from '../../ui/router.ts'
import { OverviewCard } from './overview-card.tsx'
import { useOverviewWords } from './overview-words.ts'
import { useDemoAgent } from './use-overview.ts'

interface Step {
  href: string
  icon: ReactNode
  title: string
  about: string
}

/** What makes sense next, for this role and with what there is. */
function useSteps(isModelReady: boolean | undefined): Step[] {
  const words = useOverviewWords()
  const may = useMay()
  const demo = useDemoAgent()
  const steps: (Step | false)[] = [
    isModelReady === false &&
      may.administer && {
        href: pathTo('models'),
        icon: <ApiOutlined />,
        title: words.addModel,
        about: words.addModelAbout,
      },
    demo.data === true && {
      href: pathTo('agents', 'agent_demo', 'chat'),
      icon: <CommentOutlined />,
      title: words.talk,
      about: isModelReady === false ? words.talkNeeds : words.talkAbout,
    },
    // Whoever only reads is offered nothing that ends in a refusal.
    may.write && {
      href: pathTo('agents'),
      icon: <RobotOutlined />,
      title: words.createAgent,
      about: words.createAgentAbout,
    },
    may.write && {
      href: pathTo('knowledge'),
      icon: <FileAddOutlined />,
      title: words.addDocuments,
      about: words.addDocumentsAbout,
    },
    may.write && {
      href: pathTo('workflows'),
      icon: <NodeIndexOutlined />,
      title: words.drawWorkflow,
      about: words.drawWorkflowAbout,
    },
  ]
  return steps.filter(step => step !== false)
}

function StepLink({ href, icon, title, about }: Step) {
  return (
    <a href={href}>
      <span className="step-icon" aria-hidden="true">
        {icon}
      </span>
      <span>
        <strong>{title}</strong>
        <span className="soft small">{about}</span>
      </span>
      <RightOutlined className="soft" aria-hidden="true" />
    </a>
  )
}

export function FirstSteps({ isModelReady }: { isModelReady: boolean | undefined }) {
  const words = useOverviewWords()
  const steps = useSteps(isModelReady)
  if (steps.length === 0) return null
  return (
    <OverviewCard title={words.steps}>
      <ol className="steps">
        {steps.map(step => (
          <li key={step.title}>
            <StepLink {...step} />
          </li>
        ))}
      </ol>
    </OverviewCard>
  )
}
