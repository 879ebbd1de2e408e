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
import type { BlobStoreUrl, S3Settings } from '../../files/blob-store-url.ts'
import { s3Failure } from './s3-failure.ts'

type S3Command<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = $Command<
  Input,
  Output,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>

/** Of one request with all its attempts; and of the wait for the response to one attempt. */
interface Timeouts {
  milliseconds: number
  responseMilliseconds: number
}

const shortRequest: Timeouts = {
  milliseconds: 2 * limits.s3RequestMilliseconds,
  responseMilliseconds: limits.s3RequestMilliseconds,
}
/** Sends or copies content. A connection without progress ends sooner, by its idle timeout. */
const longRequest: Timeouts = {
  milliseconds: limits.s3TransferMilliseconds,
  responseMilliseconds: limits.s3TransferMilliseconds,
}

const openClient = ({ region, endpoint, pathStyle }: S3Settings, maxSockets: number): S3Client => {
  const agent = { maxSockets, keepAlive: true }
  const client = new S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: pathStyle,
    maxAttempts: 3,
    // Checksums are sent explicitly; servers without support for the client's own ones would refuse them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      // Includes the wait for a free connection.
      connectionTimeout: limits.s3ConnectMilliseconds,
      socketTimeout: limits.s3IdleMilliseconds,
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

/** The requests to one bucket, with timeouts, and with errors of the store instead of those of the client. */
export class S3Bucket {
  readonly name: string
  readonly #place: BlobStoreUrl
  readonly #requests: S3Client
  /** Slow readers keep their connections for long; nothing else waits for these. */
  readonly #downloads: S3Client

  constructor(place: BlobStoreUrl, settings: S3Settings) {
    this.name = place.bucket
    this.#place = place
    this.#requests = openClient(settings, limits.s3Connections)
    this.#downloads = openClient(settings, limits.s3Downloads)
  }

  /** The object with this path below the prefix. */
  object(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.name, Key: this.#place.prefix + path }
  }

  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: S3Command<Input, Output>,
  ): Promise<Output> {
    return this.#send(this.#requests, command, shortRequest)
  }

  transfer<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: S3Command<Input, Output>,
  ): Promise<Output> {
    return this.#send(this.#requests, command, longRequest)
  }

  /** Resolves when the response begins; its body may then take as long as its reader. */
  get(path: string, range?: string): Promise<GetObjectCommandOutput> {
    const input = { ...this.object(path), ...(range !== undefined && { Range: range }) }
    return this.#send(this.#downloads, new GetObjectCommand(input), shortRequest)
  }

  async #send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    client: S3Client,
    command: S3Command<Input, Output>,
    { milliseconds, responseMilliseconds }: Timeouts,
  ): Promise<Output> {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new Error('The request took too long')), milliseconds)
    try {
      return await client.send(command, {
        abortSignal: deadline.signal,
        requestTimeout: responseMilliseconds,
      })
    } catch (error) {
      throw s3Failure(error, this.#place)
    } finally {
      clearTimeout(timer)
    }
  }
}
