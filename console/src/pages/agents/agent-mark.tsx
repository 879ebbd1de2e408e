/** The first letter of an agent's name, shown beside the name. */
export function AgentMark({ name, isLarge = false }: { name: string; isLarge?: boolean }) {
  return (
    <span className={isLarge ? 'agent-mark is-large' : 'agent-mark'} aria-hidden="true">
      {[...name.trim()][0]?.toUpperCase() ?? '·'}
    </span>
  )
}
