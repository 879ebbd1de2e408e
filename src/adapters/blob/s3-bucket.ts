import { setTimeout as sleep } from 'node:timers/promises'
import {
  type $Command,
  GetObjectCommand,
  type GetObjectCommandOutput,
  S3Client,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3'
import { limits } from '../../contract/limits.ts'
import type { StoreObserver } from '../../files/blob-store.ts'
import type { S3Settings } from '../../files/s3-url.ts'
import { isTimeout, isTransient, s3Failure } from './s3-failure.ts'

type S3Command<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = $Command<
  Input,
  Output,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>

const maxAttempts = 3
/** A request that stalls after this long is not tried again, so that a store that stalls is reported after 20 s. */
const retryMilliseconds = 1.5 * limits.s3StallMilliseconds

const responseMilliseconds = {
  plain: limits.s3StallMilliseconds,
  /** With content, which may take any time while there is progress. */
  content: limits.s3PartMilliseconds,
  /** The store copies content or joins parts. */
  slow: limits.s3CopyMilliseconds,
  /** Tried once with a short timeout, for a health check. */
  probe: limits.s3ProbeMilliseconds,
}

interface ClientOptions {
  connections: number
  idleMilliseconds: number
}

const openClient = (
  { region, endpoint, pathStyle }: S3Settings,
  { connections, idleMilliseconds }: ClientOptions,
): S3Client => {
  const agent = { maxSockets: connections, keepAlive: true }
  const client = new S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: pathStyle,
    maxAttempts: 1,
    // With it the client would open a connection of its own for every part.
    expectContinueHeader: false,
    // Checksums are sent explicitly; servers without support for the client's own ones would refuse them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      // Includes the wait for a free connection.
      connectionTimeout: limits.s3ConnectMilliseconds,
      // The client counts only from three seconds after the beginning of a request.
      socketTimeout: idleMilliseconds - 3000,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  // The signature needs the same hash as the checksum; the client would hash the whole body again, at once. Servers that
  // do not support checksums verify this one.
  client.middlewareStack.add(
    next => args => {
      const { headers } = args.request as { headers: Record<string, string> }
      const checksum = headers['x-amz-checksum-sha256']
      if (checksum) headers['x-amz-content-sha256'] = Buffer.from(checksum, 'base64').toString('hex')
      return next(args)
    },
    { step: 'build', name: 'signKnownChecksum' },
  )
  return client
}

/** The requests to one bucket, with timeouts and retries, and with errors of the store instead of those of the client. */
export class S3Bucket {
  readonly #name: string
  readonly #prefix: string
  readonly #requests: S3Client
  /** For requests during which the store may be silent for long. */
  readonly #slowRequests: S3Client
  /** Downloads have a client of their own, because slow readers keep connections for long. */
  readonly #downloads: S3Client
  observer: StoreObserver | undefined

  /** `prefix` is empty, or has a slash at its end. */
  constructor(name: string, prefix: string, settings: S3Settings) {
    this.#name = name
    this.#prefix = prefix
    const idleMilliseconds = limits.s3StallMilliseconds
    this.#requests = openClient(settings, { connections: limits.s3Connections, idleMilliseconds })
    this.#downloads = openClient(settings, { connections: limits.s3Downloads, idleMilliseconds })
    this.#slowRequests = openClient(settings, {
      connections: limits.s3Connections,
      idleMilliseconds: limits.s3CopyMilliseconds,
    })
  }

  /** The object with this path below the prefix. */
  object(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.#name, Key: this.#prefix + path }
  }

  /** Sends a request that the store answers at once, or with time for what it does: see `responseMilliseconds`. */
  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: S3Command<Input, Output>,
    kind: keyof typeof responseMilliseconds = 'plain',
  ): Promise<Output> {
    const client = kind === 'slow' ? this.#slowRequests : this.#requests
    return this.#send(client, command, responseMilliseconds[kind], kind === 'probe' ? 1 : maxAttempts)
  }

  /** Resolves when the response begins; its body may then take as long as its reader. */
  get(path: string, range?: string): Promise<GetObjectCommandOutput> {
    const input = { ...this.object(path), ...(range !== undefined && { Range: range }) }
    return this.#send(this.#downloads, new GetObjectCommand(input), responseMilliseconds.plain)
  }

  async #send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    client: S3Client,
    command: S3Command<Input, Output>,
    requestTimeout: number,
    attempts = maxAttempts,
  ): Promise<Output> {
    const operation = command.constructor.name.replace(/Command$/, '')
    const begunAt = performance.now()
    for (let attempt = 1; ; attempt++) {
      const start = performance.now()
      const report = (isFailed: boolean): void =>
        this.observer?.(operation, isFailed ? 'failed' : 'succeeded', (performance.now() - start) / 1000)
      try {
        const output = await client.send(command, { requestTimeout })
        report(false)
        return output
      } catch (error) {
        report(isTransient(error))
        const isStalled = isTimeout(error) && performance.now() - begunAt > retryMilliseconds
        if (attempt === attempts || isStalled || !isTransient(error)) throw s3Failure(error, this.#name)
        await sleep(50 * 2 ** attempt * (0.5 + Math.random()))
      }
    }
  }
}
