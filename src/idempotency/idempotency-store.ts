export interface IdempotencyScope {
  workspaceId: string
  tokenId: string
  key: string
}

export type Claim =
  /** The key is ours: do the work, then `complete` or `release` it. */
  | { state: 'claimed' }
  /** Somebody does the same work right now. */
  | { state: 'running'; fingerprint: string }
  | { state: 'done'; fingerprint: string; answer: string }

export interface IdempotencyStore {
  /** A claim made before `staleBefore` that was never completed belongs to a process that died. */
  claim(scope: IdempotencyScope, fingerprint: string, at: number, staleBefore: number): Promise<Claim>
  /** `claimedAt` tells our claim from one that took it over. */
  complete(scope: IdempotencyScope, claimedAt: number, answer: string): Promise<void>
  release(scope: IdempotencyScope, claimedAt: number): Promise<void>
  forgetBefore(time: number): Promise<void>
}
