import { kindIconPath } from './kind-icon-paths.ts'

/** The same drawing that a card has on the canvas. */
export function KindIcon({ kind, group }: { kind: string; group: string }) {
  return (
    <span className="kind-icon" data-group={group}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={kindIconPath(kind)} />
      </svg>
    </span>
  )
}
