export interface Step {
  /** The activity, in one word. */
  doing: string
  done: number
  total: number
  /** Shown after the numbers. */
  stage?: string
}

export interface Output {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

const barWidth = 24
const redrawMilliseconds = 100
const plainMilliseconds = 5000

function bar(done: number, total: number): string {
  const filled = total === 0 ? barWidth : Math.floor((barWidth * done) / total)
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`
}

/** Progress of a long task: on a terminal one line that is redrawn, elsewhere a line every few seconds. */
export class ProgressLine {
  readonly #output: Output
  readonly #now: () => number
  #doing = ''
  #since = 0
  #doneBefore = 0
  #doneShown = 0
  #shownAt = 0

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output
    this.#now = now
  }

  show(step: Step): void {
    const now = this.#now()
    const isNew = step.doing !== this.#doing
    if (isNew) {
      this.#doing = step.doing
      this.#since = now
      this.#doneBefore = step.done
    }
    const pause = this.#output.isTTY ? redrawMilliseconds : plainMilliseconds
    const isLast = step.done === step.total && step.done !== this.#doneShown
    if (!isNew && !isLast && now - this.#shownAt < pause) return
    this.#shownAt = now
    this.#doneShown = step.done
    const text = this.#text(step, now)
    if (!this.#output.isTTY) this.#output.write(`${text}\n`)
    // Truncated, because a line that wraps cannot be redrawn.
    else
      this.#output.write(
        `\r${`${bar(step.done, step.total)} ${text}`.slice(0, (this.#output.columns ?? 80) - 1)}\x1b[K`,
      )
  }

  #text({ doing, done, total, stage }: Step, now: number): string {
    const seconds = (now - this.#since) / 1000
    const perSecond = seconds > 0 ? (done - this.#doneBefore) / seconds : 0
    const rate = perSecond > 0 ? `, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} documents/s` : ''
    return `${doing} ${done} of ${total}${rate}${stage ? `, ${stage}` : ''}`
  }

  /** Clears the line. */
  end(): void {
    if (this.#output.isTTY && this.#shownAt > 0) this.#output.write('\r\x1b[K')
  }
}
