import { type Config, readConfig, SettingError } from '../config.ts'
import { keptSecret } from './kept-secret.ts'
import { openAdapters } from './open-adapters.ts'
import { createRuntime, type Runtime } from './runtime.ts'

/** npm hands a signal on to its child that the terminal sent to both; only a later one is a second wish. */
const secondSignalMilliseconds = 1000

interface NewToken {
  secret: string
  path: string
}

async function ensureOperator(runtime: Runtime, config: Config): Promise<NewToken | undefined> {
  if (config.bootstrapToken !== undefined) {
    await runtime.access.bootstrap(config.bootstrapToken, true)
    return undefined
  }
  const token = await keptSecret(config.dataDir, 'bootstrap-token')
  if (await runtime.access.bootstrap(token.secret, false)) return token
  // There is an operator already, from an earlier start or from a replica that was quicker.
  await token.forget()
  return undefined
}

/** The link carries the token behind the #, which a browser keeps to itself: no server or log gets to see it. */
const welcome = (address: string, token: NewToken | undefined): string =>
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
  // Made once: what somebody deletes does not come back. A server without it is as good.
  if (isFirstStart && config.demo)
    await runtime
      .createDemo()
      .catch((error: unknown) => adapters.log.warn({ err: error }, 'The demo could not be made'))
  const address = await runtime.server.listen({ host: config.host, port: config.port })
  runtime.start()
  console.log(welcome(address, newToken))
}

/** Runs the server until a signal ends it. */
export function serve(): void {
  start().catch((error: unknown) => {
    if (error instanceof SettingError) console.error(error.message)
    else if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      console.error(
        `The address is in use: ${(error as Error).message}\nSet PORT to another one, or stop what listens there.`,
      )
    else console.error(error)
    process.exit(1)
  })
}
