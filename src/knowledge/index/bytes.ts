/** A growing byte buffer. Numbers are written as base-128 varints. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const capacity = Math.max(this.#bytes.length * 2, this.#length + count)
    this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(capacity))
  }

  varint(value: number): void {
    this.#reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  prefixed(bytes: Uint8Array): void {
    this.varint(bytes.length)
    this.append(bytes)
  }

  clear(): void {
    this.#length = 0
  }

  /** The written bytes without a copy, valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.at = at
  }

  varint(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) throw new Error('The keyword index is truncated in the middle of a number')
      if (byte < 0x80) return value + byte * scale
      value += (byte & 0x7f) * scale
      scale *= 0x80
    }
  }

  bytes(count: number): Uint8Array {
    const from = this.at
    this.at += count
    return this.#bytes.subarray(from, this.at)
  }

  prefixed(): Uint8Array {
    return this.bytes(this.varint())
  }
}

/** Big-endian UTF-16: bytes sort like JavaScript strings, and a Chinese character takes two bytes. */
export const termBytes = (term: string): Buffer => Buffer.from(term, 'utf16le').swap16()

export const termText = (bytes: Uint8Array): string => Buffer.from(bytes).swap16().toString('utf16le')
