/** `s3://bucket/path`: where files are stored, or an archive. */
export interface S3Url {
  bucket: string
  /** Without slashes around it; may be empty. */
  path: string
}

export interface S3Settings {
  region: string | undefined
  /** Undefined for the endpoint of AWS. */
  endpoint: string | undefined
  /** The bucket is part of the path instead of the host name. */
  pathStyle: boolean
}

/** Undefined if it is not valid. */
export const parseS3Url = (text: string): S3Url | undefined => {
  const [, bucket, path = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]{0,500}))?$/.exec(text) ?? []
  return bucket === undefined ? undefined : { bucket, path: path.split('/').filter(Boolean).join('/') }
}

export const showS3Url = ({ bucket, path }: S3Url): string => `s3://${bucket}${path && `/${path}`}`
