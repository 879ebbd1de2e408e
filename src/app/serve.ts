import { type Config, readConfig } from '../config/config.ts'
import { SettingError } from '../config/setting.ts'
import { demoLanguage } from '../demo/demo-texts.ts'
import { AppError } from '../kernel/app-error.ts'
import { StartError } from '../kernel/start-error.ts'
import { openAdapters } from './adapters.ts'
import { createRuntime, type Runtime } from './runtime.ts'
import { type StoredSecret, storedSecret } from './stored-secret.ts'

/** The terminal sends a signal to npm, too, which forwards it; only a later signal counts as a second one. */
const secondSignalMilliseconds = 1000

async function ensureOperator(runtime: Runtime, config: Config): Promise<StoredSecret | undefined> {
  if (config.bootstrapToken !== undefined) {
    await runtime.access.bootstrap(config.bootstrapToken, true)
    return undefined
  }
  const token = await storedSecret(config.dataDir, 'bootstrap-token')
  if (await runtime.access.bootstrap(token.secret, false)) return token
  // There is already an operator's token, from an earlier start or from another replica.
  await token.forget()
  return undefined
}

/** The link has the token after the #, which browsers never send: no server or log sees it. */
const welcome = (address: string, token: StoredSecret | undefined, isDemoReady: boolean): string =>
  [
    '\nBanyan is ready.\n',
    `  Console        ${address}/`,
    ...(token
      ? [
          `  Sign in with   ${address}/#token=${token.secret}`,
          `  Your token     ${token.secret}`,
          `                 (also in ${token.path}; it is not shown again)`,
        ]
      : []),
    `  Reference      ${address}/docs\n`,
    ...(isDemoReady
      ? []
      : ['The demo documents are still being ingested: the demo agent may not find all of them yet.\n']),
  ].join('\n')

function stopOnSignal(stop: () => Promise<void>): void {
  let firstAt = 0
  const onSignal = (): void => {
    const now = performance.now()
    if (firstAt === 0) {
      firstAt = now
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
    } else if (now - firstAt > secondSignalMilliseconds) process.exit(1)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

async function start(): Promise<void> {
  const config = readConfig()
  const adapters = await openAdapters(config)
  const runtime = createRuntime(adapters, config)
  stopOnSignal(() => runtime.stop())
  const demo = await runtime.openWorkspace(demoLanguage(config.demo)).catch(async (error: unknown) => {
    // The server works without the demo.
    adapters.log.warn({ err: error }, 'The demo could not be created')
    return runtime.openWorkspace(undefined)
  })
  const newToken = await ensureOperator(runtime, config)
  const address = await runtime.server.listen({ host: config.host, port: config.port })
  runtime.start()
  const isDemoReady = demo === undefined || (await runtime.demoReady(demo))
  console.log(welcome(address, newToken, isDemoReady))
}

/** A sentence for an error that the operator can fix; any other error is a bug, and shown with its stack. */
function sentenceFor(error: unknown): string | undefined {
  if (error instanceof SettingError || error instanceof StartError || error instanceof AppError)
    return error.message
  const { code, syscall, path, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `The port is already in use: ${message}\nSet PORT to another port, or stop the program that uses it.`
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return `The server cannot listen on this address (${message}). Check HOST and PORT.`
  if (code !== undefined && path !== undefined)
    return `${path} cannot be used (${code}). Check DATA_DIR, its permissions and its disk.`
  return undefined
}

export function serve(): void {
  start().catch((error: unknown) => {
    console.error(sentenceFor(error) ?? error)
    process.exit(1)
  })
}
