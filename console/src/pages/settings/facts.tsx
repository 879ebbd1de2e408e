import type { ReactNode } from 'react'

/** Names with what they are. */
export function Facts({ of }: { of: [name: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
