import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { PooledWorker } from '../workers/thread-pool.ts'

/** The server's environment without anything but the compile cache, which halves the start time of a worker. */
export function workerEnvironment(): Record<string, string> {
  // Node uses a folder per version inside the configured one.
  const folder = getCompileCacheDir()
  return folder ? { NODE_COMPILE_CACHE: dirname(folder) } : {}
}

/** A process that is used like a worker thread: it runs a file of ours, with no output and hardly an environment. */
export class WorkerProcess extends EventEmitter implements PooledWorker {
  readonly #child: ChildProcess

  constructor(file: URL, memoryMegabytes: number) {
    super()
    this.#child = fork(file, {
      env: workerEnvironment(),
      execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${memoryMegabytes}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    for (const event of ['message', 'error', 'exit'])
      this.#child.on(event, (...values) => this.emit(event, ...values))
  }

  postMessage(message: object): void {
    // If this fails, the process has ended, which an event reports.
    this.#child.send(message, () => {})
  }

  ref(): void {
    this.#child.ref()
    this.#child.channel?.ref()
  }

  unref(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }

  async terminate(): Promise<void> {
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null) return
    // As with threads, the server must not end before an idle process has ended.
    this.#child.ref()
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
