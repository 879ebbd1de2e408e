/** `skipped`: does not apply to these settings, or depends on a check that failed. */
type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped'

export interface CheckResult {
  name: string
  status: CheckStatus
  /** What was found, and what to do about it. */
  message: string
}

export type Finding = Omit<CheckResult, 'name'>

export const ok = (message: string): Finding => ({ status: 'ok', message })
export const warning = (message: string): Finding => ({ status: 'warning', message })
export const failed = (message: string): Finding => ({ status: 'failed', message })
export const skipped = (message: string): Finding => ({ status: 'skipped', message })

/** A check that fails with an error has failed with its message. */
export async function check(name: string, look: () => Finding | Promise<Finding>): Promise<CheckResult> {
  try {
    return { name, ...(await look()) }
  } catch (error) {
    return { name, ...failed(error instanceof Error ? error.message : String(error)) }
  }
}
