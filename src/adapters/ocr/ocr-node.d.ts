/** An optional package, which the operator installs: it takes 290 MB. */
declare module '@gutenye/ocr-node' {
  interface Line {
    text: string
    /** How sure the model is, from 0 to 1. */
    mean: number
    /** The corners, from the upper left one clockwise. */
    box?: [number, number][]
  }
  interface Ocr {
    detect(image: Uint8Array): Promise<Line[]>
  }
  const library: { create(): Promise<Ocr> }
  export default library
}
