/** JSON that is written already and is sent as it is: reading it would cost time and change large numbers. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const jsonOf = (value: unknown): string =>
  value instanceof JsonText ? value.text : JSON.stringify(value)

/** An object some of whose members are written already. */
export const jsonObject = (members: Readonly<Record<string, unknown>>): JsonText =>
  new JsonText(
    `{${Object.entries(members)
      .map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(value)}`)
      .join(',')}}`,
  )

export const jsonList = (items: readonly JsonText[]): JsonText =>
  new JsonText(`[${items.map(({ text }) => text).join(',')}]`)

/** What a store gave as JSON, or null where it gave nothing. */
export const jsonOrNull = (text: string | undefined): JsonText => new JsonText(text ?? 'null')
