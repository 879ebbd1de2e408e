/** In a frame of another website the browser may forbid storage; then a value lasts as long as the page. */
const unstored = new Map<string, string>()

export function readStored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return unstored.get(key)
  }
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    unstored.set(key, value)
  }
}
