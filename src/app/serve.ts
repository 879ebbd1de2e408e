import { type Config, readConfig, SettingError } from '../config.ts'
import { openAdapters } from './adapters.ts'
import { createRuntime, type Runtime } from './runtime.ts'
import { type StoredSecret, storedSecret } from './stored-secret.ts'

/** npm forwards a signal that the terminal sent to both processes; only a later one is a second request. */
const secondSignalMilliseconds = 1000

async function ensureOperator(runtime: Runtime, config: Config): Promise<StoredSecret | undefined> {
  if (config.bootstrapToken !== undefined) {
    await runtime.access.bootstrap(config.bootstrapToken, true)
    return undefined
  }
  const token = await storedSecret(config.dataDir, 'bootstrap-token')
  if (await runtime.access.bootstrap(token.secret, false)) return token
  // There is already an operator, from an earlier start or from a replica that was first.
  await token.forget()
  return undefined
}

/** The link has the token after the #, which browsers never send: no server or log sees it. */
const welcome = (address: string, token: StoredSecret | undefined): string =>
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
  const isFirstStart = await runtime.access.openDefaultWorkspace()
  const newToken = await ensureOperator(runtime, config)
  // Created once: a deleted demo does not come back. The server works without it.
  if (isFirstStart && config.demo === 'on')
    await runtime
      .createDemo()
      .catch((error: unknown) => adapters.log.warn({ err: error }, 'The demo could not be created'))
  const address = await runtime.server.listen({ host: config.host, port: config.port })
  runtime.start()
  console.log(welcome(address, newToken))
}

export function serve(): void {
  start().catch((error: unknown) => {
    if (error instanceof SettingError) console.error(error.message)
    else if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      console.error(
        `The port is already in use: ${(error as Error).message}\nSet PORT to another port, or stop the program that uses it.`,
      )
    else console.error(error)
    process.exit(1)
  })
}
