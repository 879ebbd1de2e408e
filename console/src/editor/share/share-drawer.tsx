import { Drawer } from 'antd'
import { pathTo } from '../../ui/router.ts'
import { CallSection } from '../../ui/share/call-section.tsx'
import { McpSection } from '../../ui/share/mcp-section.tsx'
import { OpenaiSection } from '../../ui/share/openai-section.tsx'
import { SharedValue } from '../../ui/share/shared-value.tsx'
import { defineWords } from '../../ui/words.ts'
import { usePublication } from '../publishing/use-publication.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { runSnippet } from './run-snippets.ts'

const useWords = defineWords(
  {
    title: 'Share / API',
    versionTitle: 'Version',
    published: (version: number) =>
      `Programs run version ${version}, which is published. Later edits take effect once you publish them.`,
    never:
      'This workflow is not published: programs run the newest version, and every edit takes effect at once.',
    id: 'Workflow ID',
    copyId: 'Copy ID',
    about: 'One call runs the workflow and returns its answer. It needs the token of an editor.',
    triggersTitle: 'Start it automatically',
    triggers: 'Triggers run a workflow at set times, or when another system sends a request.',
    toTriggers: 'Go to triggers',
  },
  {
    title: '接入',
    versionTitle: '版本',
    published: (version: number) => `程序运行的是已发布的版本 ${version}。之后的修改在发布后才会生效。`,
    never: '这个工作流还没有发布：程序运行最新版本，每次修改都会立即生效。',
    id: '工作流 ID',
    copyId: '复制 ID',
    about: '一次调用即可运行工作流并得到回答。需要编辑者的令牌。',
    triggersTitle: '自动运行',
    triggers: '触发器可以在指定的时间，或收到其他系统的请求时运行工作流。',
    toTriggers: '前往触发器',
  },
)

/** How programs use a workflow. */
export function ShareDrawer({ open, onClose }: { open: boolean; onClose(): void }) {
  const words = useWords()
  return (
    <Drawer open={open} onClose={onClose} title={words.title} size="min(52rem, 100vw)" destroyOnHidden>
      <Share />
    </Drawer>
  )
}

function Share() {
  const words = useWords()
  const { workflowId } = useWorkflowEditor()
  const { version } = usePublication()
  const { origin } = window.location
  return (
    <div className="share">
      <section aria-label={words.versionTitle}>
        <h2>{words.versionTitle}</h2>
        <p>{version === null ? words.never : words.published(version)}</p>
        <SharedValue name={words.id} value={workflowId} copy={words.copyId} />
      </section>
      <CallSection about={words.about} code={language => runSnippet(language, { origin, workflowId })} />
      <OpenaiSection model={`workflow/${workflowId}`} />
      <McpSection shared="workflow" />
      <section aria-label={words.triggersTitle}>
        <h2>{words.triggersTitle}</h2>
        <p>
          {words.triggers} <a href={pathTo('triggers')}>{words.toTriggers}</a>
        </p>
      </section>
    </div>
  )
}
