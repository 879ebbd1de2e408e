/** How a document is divided into chunks; sizes in tokens by `countTokens`. */
export interface Chunking {
  strategy: 'auto' | 'paragraph' | 'heading' | 'qa'
  size: number
  /** How much of the previous chunk a chunk repeats, but never more than half of `size`. */
  overlap: number
  separators?: string[]
}

export const defaultChunking: Chunking = { strategy: 'auto', size: 512, overlap: 64 }
