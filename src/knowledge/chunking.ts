import { invalidField } from '../kernel/app-error.ts'

/** How a document is divided into chunks; sizes in tokens by `countTokens`. */
export interface Chunking {
  strategy: 'auto' | 'paragraph' | 'heading' | 'qa'
  size: number
  overlap: number
  separators?: string[]
}

export const defaultChunking: Chunking = { strategy: 'auto', size: 512, overlap: 64 }

export function changedChunking(before: Chunking, patch: Partial<Chunking>): Chunking {
  const chunking = { ...before, ...patch }
  if (chunking.overlap * 2 > chunking.size)
    throw invalidField('/chunking/overlap', `must be at most half of the size (${chunking.size})`)
  return chunking
}
