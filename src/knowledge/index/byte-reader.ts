/** Reads what a ByteWriter wrote. */
export class ByteReader {
  readonly #bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.at = at
  }

  get done(): boolean {
    return this.at >= this.#bytes.length
  }

  varint(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) throw new Error('The index ends in the middle of a number')
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
}
