/** A computation that may pause wherever it yields. */
export type Pausable<Result> = Generator<undefined, Result>

/** How long a computation holds the event loop before everything else gets its turn. */
const sliceMilliseconds = 3
/** Shorter first slice while other computations wait or after one in the same turn: enough for a short computation. */
const firstMilliseconds = 1

interface Task {
  readonly work: Pausable<unknown>
  readonly caller: { readonly signal: AbortSignal } | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** All paused computations of the process share one slice per turn of its event loop. */
const paused: Task[] = []
let isScheduled = false
/** Whether a slice was used in this turn: when one computation ends, its caller often starts the next one at once. */
let isUsed = false

function runSlice<Result>(
  work: Pausable<Result>,
  milliseconds = sliceMilliseconds,
): IteratorResult<undefined, Result> {
  const start = performance.now()
  for (;;) {
    const next = work.next()
    if (next.done) return next
    const taken = performance.now() - start
    if (taken > firstMilliseconds) markUsed()
    if (taken >= milliseconds) return next
  }
}

function markUsed(): void {
  if (isUsed) return
  isUsed = true
  setImmediate(() => {
    isUsed = false
  })
}

function schedule(): void {
  if (isScheduled || paused.length === 0) return
  isScheduled = true
  setImmediate(runNext)
}

function runNext(): void {
  isScheduled = false
  const task = paused.shift()!
  try {
    task.caller?.signal.throwIfAborted()
    const next = runSlice(task.work)
    if (next.done) task.resolve(next.value)
    else paused.push(task)
  } catch (error) {
    task.reject(error)
  }
  schedule()
}

/**
 * Runs a computation whose length depends on the client, without blocking the event loop. Returns the result itself if
 * it fits into one slice, otherwise a promise. Stops at the next pause when the signal is aborted.
 */
export function inSlices<Result>(work: Pausable<Result>, caller?: Task['caller']): Result | Promise<Result> {
  const first = runSlice(work, isUsed || paused.length > 0 ? firstMilliseconds : sliceMilliseconds)
  return first.done ? first.value : queued(work, caller)
}

/** Like `inSlices`, for a computation that is certainly long: it also waits for its first slice. */
export function queued<Result>(work: Pausable<Result>, caller?: Task['caller']): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    paused.push({ work, caller, resolve: resolve as Task['resolve'], reject })
    schedule()
  })
}

/** Runs a computation to its end at once, for input of known size. */
export function atOnce<Result>(work: Pausable<Result>): Result {
  for (;;) {
    const next = work.next()
    if (next.done) return next.value
  }
}
