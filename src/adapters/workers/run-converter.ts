import { spawn } from 'node:child_process'
import { limits } from '../../contract/limits.ts'
import { DocumentFailure } from '../../knowledge/ingest/document-failure.ts'

/** Kills its process group when its input ends, so that no conversion outlives this thread or the server. */
const script =
  'ulimit -v "$1" 2>/dev/null; ulimit -t "$2"; shift 2; exec 3<&0; "$@" </dev/null 3<&- & child=$!; { read -r _ <&3; kill -9 0; } & wait "$child"'

/** A document must not make the server open connections: a proxy that does not exist. */
const noProxy = 'http://127.0.0.1:9'

const commandNotFound = 127
const commandNotExecutable = 126

/** Exit codes after SIGKILL or SIGXCPU, at the limit of processor time or because the system is out of memory. */
const killed = new Set([137, 152])

export interface ConversionTime {
  /** Limit of processor time. A file that needs more is too complex, however busy the server is. */
  seconds?: number
  /** Limit by the clock. A slower conversion had to wait for processors, so another attempt can succeed. */
  milliseconds?: number
  /** Called while the program runs, which has its own limits: its thread makes no progress, but is not stuck. */
  onAlive?(): void
  aliveMilliseconds?: number
}

interface Conversion extends ConversionTime {
  command: string[]
  /** The folder in which the program works. */
  home: string
  /** The start of the message for a timeout, and the advice for the user. */
  failure: string
  advice: string
}

/** Returns the exit code. */
export const runConverter = ({
  command,
  home,
  failure,
  advice,
  seconds = limits.conversionSeconds,
  milliseconds = limits.conversionMilliseconds,
  onAlive = () => {},
  aliveMilliseconds = 20_000,
}: Conversion): Promise<number> =>
  new Promise((resolve, reject) => {
    const memory = String(limits.conversionMegabytes * 1024)
    const child = spawn('/bin/sh', ['-c', script, 'convert', memory, String(seconds), ...command], {
      cwd: home,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      // Contains nothing of the server's own environment, which has secrets.
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin:/opt/libreoffice/program',
        HOME: home,
        TMPDIR: home,
        LANG: 'C.UTF-8',
        ...{ http_proxy: noProxy, https_proxy: noProxy },
      },
    })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      child.stdin.destroy()
    }, milliseconds)
    const alive = setInterval(onAlive, aliveMilliseconds)
    const stopTimers = (): void => {
      clearTimeout(timer)
      clearInterval(alive)
    }
    // First, because a process that could not be started has no input.
    child.once('error', error => {
      stopTimers()
      reject(error)
    })
    child.stdin.on('error', () => {})
    child.once('exit', code => {
      stopTimers()
      child.stdin.destroy()
      if (isLate)
        reject(
          new DocumentFailure(
            'conversion_timed_out',
            `${failure} within ${milliseconds / 1000} s because the server is busy. Try again later. ${advice}`,
          ),
        )
      else if (killed.has(code ?? 1))
        reject(
          new DocumentFailure(
            'too_complex',
            `${failure} with ${seconds} s of processor time and the memory of the server. ${advice}`,
          ),
        )
      else resolve(code ?? 1)
    })
  })

export const isNotInstalled = (code: number): boolean =>
  code === commandNotFound || code === commandNotExecutable
