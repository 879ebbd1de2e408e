import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3Settings, S3Url } from '../../src/files/s3-url.ts'

/** Why the tests of the S3 store are skipped; false where TEST_S3_URL names a server. */
export const skipWithoutS3: string | false = process.env['TEST_S3_URL']
  ? false
  : 'no S3 server; run them with: npm run test:s3'

export interface TestBucket {
  place: S3Url
  settings: S3Settings
  client: S3Client
  /** The settings of a server that stores its files in the bucket, at another address if one is given. */
  environment(endpoint?: string): Record<string, string>
}

/** A new bucket on the server in TEST_S3_URL: `http://access-key:secret-key@host:port`. */
export async function createTestBucket(): Promise<TestBucket> {
  const url = new URL(process.env['TEST_S3_URL'] ?? '')
  const endpoint = url.origin
  const [accessKeyId, secretAccessKey] = [url.username, decodeURIComponent(url.password)]
  process.env['AWS_ACCESS_KEY_ID'] = accessKeyId
  process.env['AWS_SECRET_ACCESS_KEY'] = secretAccessKey
  const settings = { region: 'us-east-1', endpoint, pathStyle: true }
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true })
  const bucket = `banyan-test-${randomBytes(8).toString('hex')}`
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  return {
    place: { bucket, path: 'files' },
    settings,
    client,
    environment: (address = endpoint) => ({
      BLOB_URL: `s3://${bucket}/files`,
      AWS_ENDPOINT_URL: address,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    }),
  }
}
