const maxDataSets = 50

/** The ids of the data sets that an app of Dify searches, as its export writes them: a list below `dataset_ids`. */
export function foreignDataSets(content: string): string[] {
  const lists = content.matchAll(/^\s*dataset_ids:[ \t]*\r?\n((?:[ \t]*- .*(?:\r?\n|$))+)/gm)
  const listed = [...lists].flatMap(([, lines = '']) =>
    lines.split('\n').map(line => line.replace(/^\s*- /, '')),
  )
  const single = [
    ...content.matchAll(/^\s*(?:- )?dataset:[ \t]*\r?\n(?:[ \t]+enabled: true\r?\n)?[ \t]+id: (.*)$/gm),
  ].map(([, id = '']) => id)
  const ids = [...listed, ...single]
    .map(id => id.trim().replace(/^(['"])(.*)\1$/, '$2'))
    .filter(id => id !== '')
  return [...new Set(ids)].slice(0, maxDataSets)
}
