type Place = readonly (string | number)[]

const maxPlaces = 400

/** Every path below the root of a JSON value. */
export function places(value: unknown): Place[] {
  const found: Place[] = []
  const visit = (current: unknown, path: Place): void => {
    if (typeof current !== 'object' || current === null) return
    const keys = Array.isArray(current) ? current.keys() : Object.keys(current)
    for (const key of keys) {
      if (found.length >= maxPlaces) return
      const place = [...path, key]
      found.push(place)
      visit((current as Record<string | number, unknown>)[key], place)
    }
  }
  visit(value, [])
  return found.length > 0 ? found : [['only']]
}

const holder = (value: unknown, place: Place): Record<string | number, unknown> => {
  let current = value
  for (const key of place.slice(0, -1)) current = (current as Record<string | number, unknown>)[key]
  return current as Record<string | number, unknown>
}

export const valueAt = (value: unknown, place: Place): unknown => holder(value, place)[place.at(-1)!]

export const setAt = (value: unknown, place: Place, replacement: unknown): void => {
  holder(value, place)[place.at(-1)!] = replacement
}

export const removeAt = (value: unknown, place: Place): void => {
  const parent = holder(value, place)
  if (Array.isArray(parent)) parent.splice(Number(place.at(-1)), 1)
  else delete parent[place.at(-1)!]
}
