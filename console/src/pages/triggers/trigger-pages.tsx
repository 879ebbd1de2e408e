import type { PageProps } from '../page-props.ts'
import { TriggerPage } from './trigger-page.tsx'
import { TriggersPage } from './triggers-page.tsx'

/** All triggers, or one of them. */
export function TriggerPages({ segments }: PageProps) {
  const [id] = segments
  return id === undefined ? <TriggersPage /> : <TriggerPage key={id} id={id} />
}
