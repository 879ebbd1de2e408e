import { problemsId, useProblems } from '../node-form.ts'

/** What the server found wrong at a place. */
export function Problems({ pointer, reach }: { pointer: string; reach: 'here' | 'below' }) {
  const problems = useProblems(pointer, reach)
  if (problems.length === 0) return null
  const messages = [...new Map(problems.map(each => [each.message, each])).values()]
  return (
    <ul className="problems" id={problemsId(pointer)}>
      {messages.map(({ message, severity }) => (
        <li key={message} className={severity === 'warning' ? 'problem-mild' : undefined}>
          {message}
        </li>
      ))}
    </ul>
  )
}
