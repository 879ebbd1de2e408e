export interface SegmentEntry {
  id: string
  chunkCount: number
  termTotal: number
}

export interface BlockAddress {
  segmentId: string
  ordinal: number
}

/** Where the keyword index reads what was stored. */
export interface SegmentSource {
  /** The segments that together hold every chunk of the generation that can be searched. */
  segments(workspaceId: string, generationId: string): Promise<SegmentEntry[]>
  /** Headers by segment; one that was merged away meanwhile is missing. */
  headers(workspaceId: string, segmentIds: string[]): Promise<Map<string, Uint8Array>>
  /** In the order asked for; undefined for one that was merged away meanwhile. */
  blocks(workspaceId: string, addresses: BlockAddress[]): Promise<(Uint8Array | undefined)[]>
}
