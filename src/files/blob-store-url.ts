/** Where files are stored in an S3 store: `s3://bucket/prefix`. */
export interface BlobStoreUrl {
  bucket: string
  /** Empty, or with a slash at its end. */
  prefix: string
}

/** How to reach the S3 store. */
export interface S3Settings {
  region: string | undefined
  /** Undefined: the one of AWS. */
  endpoint: string | undefined
  /** The bucket is part of the path instead of the host name. */
  pathStyle: boolean
}

export const blobStoreUrlProblem = 'must be s3://bucket or s3://bucket/prefix'

/** Undefined if it is not valid. */
export const parseBlobStoreUrl = (text: string): BlobStoreUrl | undefined => {
  const [, bucket, path = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]{0,500}))?$/.exec(text) ?? []
  if (bucket === undefined) return undefined
  const folders = path.split('/').filter(part => part !== '')
  return { bucket, prefix: folders.map(part => `${part}/`).join('') }
}

export const showBlobStoreUrl = ({ bucket, prefix }: BlobStoreUrl): string => `s3://${bucket}/${prefix}`
