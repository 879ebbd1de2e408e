export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
}
