import type { Graph } from '../model/graph.ts'

/** What was edited and is not on the server yet, with the version it began with: enough to merge it in later. */
export interface Draft {
  version: number
  base: Graph
  mine: Graph
}

const prefix = 'banyan.draft.'
/** Two tabs may edit the same workflow: none takes away what the other keeps. */
const tab = crypto.getRandomValues(new Uint32Array(2)).join('-')

export const draftKey = (workspaceId: string, workflowId: string): string =>
  `${prefix}${workspaceId}.${workflowId}`

export function readDraft(key: string): Draft | undefined {
  try {
    const { version, base, mine } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Draft>
    return version && base && mine ? { version, base, mine } : undefined
  } catch {
    return undefined
  }
}

/** Kept by the browser, so that neither a crash nor a closed tab takes edits along that could not be saved. */
export function keepDraft(key: string, draft: Draft): void {
  try {
    localStorage.setItem(key, JSON.stringify({ tab, ...draft }))
  } catch {
    // There is no room left: saving goes on being tried, and leaving the page still asks.
  }
}

export function forgetDraft(key: string): void {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}') as { tab?: string }
    if (kept.tab === tab) localStorage.removeItem(key)
  } catch {
    localStorage.removeItem(key)
  }
}

/** For whoever signs out: the next person at this browser is not to find them. */
export function forgetAllDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
}
