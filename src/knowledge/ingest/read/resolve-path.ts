const decodePercent = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Where a link inside an archive leads, seen from the part it stands in. Steps above the top stay at the top. */
export const resolvePath = (from: string, link: string): string => {
  const path = decodePercent(link.replace(/[?#].*$/s, ''))
  const start = path.startsWith('/') ? [] : from.split('/').slice(0, -1)
  const steps: string[] = []
  for (const step of [...start, ...path.split('/')]) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}
