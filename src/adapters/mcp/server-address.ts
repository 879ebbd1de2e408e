export interface ServerAddress {
  url: string
  headers: Readonly<Record<string, string>>
}

/** As the user wrote it, for messages. */
export const hostOf = ({ url }: ServerAddress): string =>
  URL.canParse(url) ? new URL(url).host : 'The tool server'
