import type { FuzzRequest } from './plan-request.ts'
import type { Caller } from './world.ts'

const shownBytes = 4000
const shownFailures = 50

const describe = (request: FuzzRequest, caller: Caller, index: number): string => {
  const { method, path, headers, body, mutation, operation } = request
  const role = caller.operator ? 'operator' : (caller.role ?? `"${caller.authorization}"`)
  const cut = body && body.length > shownBytes ? ` (the first ${shownBytes} of ${body.length} bytes)` : ''
  return [
    `request ${index}, ${operation.name}, ${mutation}, as ${role}`,
    `  ${method} ${path}`,
    `  headers ${JSON.stringify(headers)}`,
    `  body in base64${cut}: ${body?.subarray(0, shownBytes).toString('base64') ?? 'none'}`,
  ].join('\n')
}

/** The result of a fuzz run. Each failure contains what is needed to repeat its request. */
export class FuzzResult {
  sent = 0
  readonly failures: string[] = []
  readonly byStatus = new Map<string, number>()
  readonly byOperation = new Map<string, number>()
  slowest = { milliseconds: 0, description: '' }
  readonly #report: (text: string) => void

  constructor(report: (text: string) => void) {
    this.#report = report
  }

  add(
    request: FuzzRequest,
    caller: Caller,
    index: number,
    outcome: { status: string; milliseconds: number; problems: string[] },
  ): void {
    const { status, milliseconds, problems } = outcome
    const { name } = request.operation
    this.sent++
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    this.byOperation.set(name, (this.byOperation.get(name) ?? 0) + 1)
    if (milliseconds > this.slowest.milliseconds)
      this.slowest = { milliseconds, description: `${name}, ${request.mutation}` }
    if (problems.length > 0) this.fail(`${problems.join('\n')}\n${describe(request, caller, index)}`)
  }

  fail(text: string): void {
    this.failures.push(text)
    if (this.failures.length <= shownFailures) this.#report(`FAILED ${text}`)
  }
}
