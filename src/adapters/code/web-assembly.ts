/** The little of WebAssembly that is used here: its types come only together with those of a browser. */
interface WebAssemblyParts {
  compile(program: Uint8Array): Promise<object>
  Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer }
}

export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyParts }).WebAssembly
