interface Step {
  /** The activity, in one word. */
  doing: string
  done: number
  total: number
  /** Shown after the numbers. */
  stage?: string
}

interface Output {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

const barWidth = 24
const redrawMilliseconds = 100
const plainMilliseconds = 5000

function bar({ done, total }: Step): string {
  const filled = total === 0 ? barWidth : Math.floor((barWidth * done) / total)
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`
}

/** Progress of a long task: on a terminal one line that is redrawn, elsewhere a line every few seconds. */
export function progressLine(output: Output, now: () => number = () => performance.now()) {
  const pause = output.isTTY ? redrawMilliseconds : plainMilliseconds
  let first: { step: Step; at: number } | undefined
  let last: { done: number; at: number } | undefined

  const show = (step: Step): void => {
    const at = now()
    const isNew = step.doing !== first?.step.doing
    if (!first || isNew) first = { step, at }
    const isLast = step.done === step.total && step.done !== last?.done
    if (!isNew && !isLast && last && at - last.at < pause) return
    last = { done: step.done, at }
    const seconds = (at - first.at) / 1000
    const perSecond = seconds > 0 ? (step.done - first.step.done) / seconds : 0
    const rate = perSecond > 0 ? `, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} documents/s` : ''
    const text = `${step.doing} ${step.done} of ${step.total}${rate}${step.stage ? `, ${step.stage}` : ''}`
    // Truncated, because a line that wraps cannot be redrawn.
    const line = `${bar(step)} ${text}`.slice(0, (output.columns ?? 80) - 1)
    output.write(output.isTTY ? `\r${line}\x1b[K` : `${text}\n`)
  }
  /** Clears the line. */
  const end = (): void => {
    if (output.isTTY && last) output.write('\r\x1b[K')
  }
  return { show, end }
}
