import { defineWords } from '../../../ui/words.ts'
import type { ToolCall } from './chat-turns.ts'
import { prettyAction } from './message-form.ts'

const useWords = defineWords(
  {
    reasoning: 'Reasoning',
    thought: (seconds: number) => `Thought for ${seconds} s`,
    running: (tool: string) => `Using ${tool}…`,
    done: (tool: string) => `Used ${tool}`,
    failed: (tool: string) => `${tool} failed`,
    input: 'Input',
    result: 'Result',
    annotated: 'Answered from an annotation',
  },
  {
    reasoning: '思考过程',
    thought: (seconds: number) => `思考了 ${seconds} 秒`,
    running: (tool: string) => `正在使用 ${tool}…`,
    done: (tool: string) => `已使用 ${tool}`,
    failed: (tool: string) => `${tool} 失败`,
    input: '输入',
    result: '结果',
    annotated: '来自标注的回答',
  },
)

/** Marks an answer that an annotation gave. */
export function AnnotationMark({ href }: { href?: string | undefined }) {
  const words = useWords()
  return (
    <p className="annotation-mark small">
      {href === undefined ? words.annotated : <a href={href}>{words.annotated}</a>}
    </p>
  )
}

/** The reasoning of the model before its answer, folded. */
export function Reasoning({ text, milliseconds }: { text: string; milliseconds: number | undefined }) {
  const words = useWords()
  const seconds = milliseconds === undefined ? undefined : Math.max(1, Math.round(milliseconds / 1000))
  return (
    <details className="reasoning">
      <summary className="soft small">
        {seconds === undefined ? words.reasoning : words.thought(seconds)}
      </summary>
      <div className="plain-text">{text}</div>
    </details>
  )
}

/** The calls of tools for an answer, each folded. */
export function ToolSteps({ tools }: { tools: readonly ToolCall[] }) {
  return (
    <ul className="tool-steps">
      {tools.map(tool => (
        <li key={tool.call}>
          <ToolStep tool={tool} />
        </li>
      ))}
    </ul>
  )
}

function ToolStep({ tool: { tool, status, input, result } }: { tool: ToolCall }) {
  const words = useWords()
  const title = words[status](tool)
  // Visitors see only which tools were used.
  if (input === undefined && result === undefined) return <span className="soft small">{title}</span>
  return (
    <details className="tool-step">
      <summary className={status === 'failed' ? 'tool-failed small' : 'soft small'}>{title}</summary>
      {input !== undefined && (
        <>
          <b className="small">{words.input}</b>
          <pre>{typeof input === 'string' ? input : prettyAction(JSON.stringify(input))}</pre>
        </>
      )}
      {result !== undefined && (
        <>
          <b className="small">{words.result}</b>
          <pre>{prettyAction(result)}</pre>
        </>
      )}
    </details>
  )
}
