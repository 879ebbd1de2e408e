import { spawn } from 'node:child_process'
import { limits } from '../../contract/limits.ts'

/**
 * The shell limits the memory, and kills its process group when its input ends: on a timeout, and also when this thread
 * or the whole server is ended, so that no conversion outlives them.
 */
const script =
  'ulimit -v "$1" 2>/dev/null; shift; exec 3<&0; "$@" </dev/null 3<&- & child=$!; { read -r _ <&3; kill -9 0; } & wait "$child"'

/** A document must not make the server open connections: a proxy that does not exist. */
const noProxy = 'http://127.0.0.1:9'

const commandNotFound = 127
const commandNotExecutable = 126

/** The exit code, or `undefined` after a timeout. The program works in the folder `home`. */
export const runConverter = (
  command: string[],
  home: string,
  milliseconds: number,
): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const memory = String(limits.conversionMegabytes * 1024)
    const child = spawn('/bin/sh', ['-c', script, 'convert', memory, ...command], {
      cwd: home,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      // Nothing of the server's own environment, which has secrets.
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
    child.stdin.on('error', () => {})
    child.once('error', error => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('exit', code => {
      clearTimeout(timer)
      child.stdin.destroy()
      resolve(isLate ? undefined : (code ?? 1))
    })
  })

export const isNotInstalled = (code: number | undefined): boolean =>
  code === commandNotFound || code === commandNotExecutable
