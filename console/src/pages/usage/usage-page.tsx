import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function UsagePage(_: PageProps) {
  return <Page title="UsagePage">…</Page>
}
