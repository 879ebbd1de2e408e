/** The workspace for which a model is called. What a call reveals about the provider applies to this workspace only. */
export interface ModelCaller {
  workspaceId: string
  signal?: AbortSignal | undefined
}
