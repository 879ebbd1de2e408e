import { useSyncExternalStore } from 'react'
import type { CallData } from '../../api/operations.ts'
import type { Citation } from '../markdown/citations.ts'

export type DocumentView = CallData<'GET /api/v1/knowledge/{knowledge_id}/files/{file_id}/view'>

/** A document to show beside the page, and the passage to highlight in it. */
export interface Source {
  knowledgeId: string
  fileId: string
  fileName: string
  chunkId?: string | undefined
  /** The number of a citation. */
  index?: number | undefined
  score?: number | undefined
  /** The text that was cited: the document may have changed since. */
  quote?: string | undefined
}

interface Opened {
  source: Source
  /** Counts the openings, so that the same passage can be opened again. */
  number: number
}

let opened: Opened | undefined
let opener: Element | null = null
let count = 0
const listeners = new Set<() => void>()

function change(next: Opened | undefined): void {
  opened = next
  for (const listener of listeners) listener()
}

/** Shows a document in the panel beside the page. The element with the focus gets it back when the panel is closed. */
export function openSource(source: Source): void {
  // If opened from within the panel, the first opener still counts.
  if (!document.activeElement?.closest('.source-panel')) opener = document.activeElement
  change({ source, number: ++count })
}

/** Shows the passage that an answer cites. */
export const openCitation = (citation: Citation): void =>
  openSource({
    knowledgeId: citation.knowledge_id,
    fileId: citation.file_id,
    fileName: citation.file_name,
    chunkId: citation.chunk_id,
    index: citation.index,
    score: citation.score,
    quote: citation.content,
  })

export function closeSource({ returnFocus = true } = {}): void {
  if (!opened) return
  change(undefined)
  if (returnFocus && opener instanceof HTMLElement && opener.isConnected) opener.focus()
  opener = null
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOpenedSource = (): Opened | undefined => useSyncExternalStore(subscribe, () => opened)
