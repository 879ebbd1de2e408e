import { FindingText } from '../finding-text.tsx'
import { problemsId, useProblems } from '../node-form.ts'

/** The server's problems at a pointer. */
export function Problems({ pointer, reach }: { pointer: string; reach: 'here' | 'below' }) {
  const problems = useProblems(pointer, reach)
  if (problems.length === 0) return null
  const messages = [...new Map(problems.map(each => [each.message, each])).values()]
  return (
    <ul className="problems" id={problemsId(pointer)}>
      {messages.map(finding => (
        <li key={finding.message} className={finding.severity === 'warning' ? 'problem-mild' : undefined}>
          <FindingText finding={finding} />
        </li>
      ))}
    </ul>
  )
}
