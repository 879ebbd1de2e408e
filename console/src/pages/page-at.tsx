import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode } from 'react'
import { ApiFailure } from '../api/api-failure.ts'
import type { Place } from '../ui/router.ts'
import { NotFoundPage } from './not-found-page.tsx'
import type { PageProps } from './page-props.ts'

type Module = { [name: string]: ComponentType<PageProps> }

/** Each page is loaded when it is first opened. What cannot be loaded has not reached the server, or is gone there. */
const page = (load: () => Promise<Module>): LazyExoticComponent<ComponentType<PageProps>> =>
  lazy(async () => {
    const module = await load().catch((error: unknown) => {
      throw new ApiFailure(String(error), { reason: 'unreachable' })
    })
    return { default: Object.values(module)[0]! }
  })

const pages: Readonly<Record<string, LazyExoticComponent<ComponentType<PageProps>>>> = {
  '': page(() => import('./overview/overview-page.tsx')),
  workflows: page(() => import('./workflows/workflow-pages.tsx')),
  runs: page(() => import('./runs/run-pages.tsx')),
  agents: page(() => import('./agents/agent-pages.tsx')),
  knowledge: page(() => import('./knowledge/knowledge-pages.tsx')),
  files: page(() => import('./files/files-page.tsx')),
  models: page(() => import('./models/models-page.tsx')),
  usage: page(() => import('./usage/usage-page.tsx')),
  tokens: page(() => import('./tokens/tokens-page.tsx')),
  settings: page(() => import('./settings/settings-page.tsx')),
}

/** The page that a place names. */
export function pageAt({ segments, query }: Place): ReactNode {
  const [name = '', ...rest] = segments
  const Found = Object.hasOwn(pages, name) ? pages[name] : undefined
  return Found ? <Found segments={rest} query={query} /> : <NotFoundPage />
}
