/** What the strictest clients accept. */
const maxLength = 64
const idLength = 6

interface Named {
  id: string
  name: string
}

const suffixOf = (id: string): string => id.replace(/[^A-Za-z0-9]/g, '').slice(-idLength)

function plainName(verb: string, { id, name }: Named): string {
  const words = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
  return `${verb}_${words || suffixOf(id)}`.slice(0, maxLength)
}

/**
 * Names of tools, in the order of the objects: of their names where that is possible. Several of one name all end with
 * their id, so that none takes over the name of another when the order changes.
 */
export function toolNames(verb: string, objects: readonly Named[], taken: ReadonlySet<string>): string[] {
  const names = objects.map(each => plainName(verb, each))
  const isUnique = (name: string): boolean =>
    !taken.has(name) && names.indexOf(name) === names.lastIndexOf(name)
  return names.map((name, at) =>
    isUnique(name) ? name : `${name.slice(0, maxLength - idLength - 1)}_${suffixOf(objects[at]!.id)}`,
  )
}
