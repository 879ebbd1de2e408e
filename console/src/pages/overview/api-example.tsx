import { useMay } from '../../session/use-session.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { defineWords } from '../../ui/words.ts'
import { useOverviewWords } from './overview-words.ts'
import { useDemoAgent } from './use-overview.ts'

const useWords = defineWords(
  { question: 'What happens after a crash?', command: 'Command' },
  { question: 'Banyan 怎么备份？', command: '命令' },
)

const commandOf = (base: string, agentId: string, question: string): string =>
  `BASE=${base}/api/v1 TOKEN=banyan_…
CONVERSATION=$(curl -s $BASE/conversation/create \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"agent_id": "${agentId}"}' | sed 's/.*"conversation_id":"\\([^"]*\\)".*/\\1/')
curl $BASE/conversation/chat \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"agent_id": "${agentId}", "conversation_id": "'$CONVERSATION'",
       "data_type": "text", "content": "${question}"}'`

/** How a program talks to an agent of this server. */
export function ApiExample() {
  const words = useOverviewWords()
  const own = useWords()
  const may = useMay()
  const demo = useDemoAgent()
  const command = commandOf(window.location.origin, demo.data ? 'agent_demo' : 'agent_…', own.question)
  return (
    <>
      <p className="soft">
        {words.apiAbout} {may.administer ? <a href="#/tokens">{words.makeToken}</a> : words.apiToken}
      </p>
      <div className="api-example">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard */}
        <section tabIndex={0} aria-label={own.command}>
          <pre>{command}</pre>
        </section>
        <CopyButton text={command} label={words.copy} />
      </div>
    </>
  )
}
