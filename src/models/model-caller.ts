/** On whose behalf a model is called. What a call teaches about the provider applies to its workspace only. */
export interface ModelCaller {
  workspaceId: string
  signal?: AbortSignal | undefined
}
