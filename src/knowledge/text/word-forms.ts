import { wordTerms } from './text-terms.ts'

const nouns =
  'child children,mouse mice,foot feet,man men,woman women,tooth teeth,person people,life lives,wife wives,knife knives,leaf leaves,half halves,shelf shelves,thief thieves,wolf wolves,criterion criteria,phenomenon phenomena,index indices,matrix matrices,vertex vertices,appendix appendices,bacterium bacteria,spectrum spectra,medium media,nucleus nuclei,stimulus stimuli,radius radii,bus buses'
const verbs =
  'become became,begin began begun,bind bound,break broke broken,bring brought,build built,buy bought,catch caught,choose chose chosen,come came,deal dealt,draw drew drawn,drink drank drunk,drive drove driven,eat ate eaten,fall fell fallen,feel felt,fight fought,find found,fly flew flown,forget forgot forgotten,freeze froze frozen,get got gotten,give gave given,grow grew grown,hear heard,hide hid hidden,hold held,keep kept,know knew known,lead led,learn learnt,lend lent,lose lost,make made,mean meant,meet met,pay paid,ring rang rung,rise rose risen,run ran,say said,see saw seen,seek sought,sell sold,send sent,shake shook shaken,shoot shot,shrink shrank shrunk,sing sang sung,sink sank sunk,sleep slept,speak spoke spoken,spend spent,stand stood,steal stole stolen,strike struck,swim swam swum,take took taken,teach taught,tear tore torn,tell told,think thought,throw threw thrown,understand understood,wear wore worn,win won,write wrote written'

/** British and American spelling, and plurals of -us and -is. A form that is no word finds nothing. */
const spellings: readonly [RegExp, string][] = [
  [/(?<=..)iz(?=e|ing|ation|able)/, 'is'],
  [/(?<=...)is(?=e|ing|ation|able)/, 'iz'],
  [/(?<=l)yz/, 'ys'],
  [/(?<=l)ys(?=e[ds]?$|ing)/, 'yz'],
  [/(?<=..)our(?=s?$|ed|ing|al|able)/, 'or'],
  [/(?<=..[^u])or(?=s?$|ed|ing|al|able)/, 'our'],
  [/(?<=..[bt])re(?=s?$|d$)/, 'er'],
  [/(?<=..[bt])er(?=s?$|ed$)/, 're'],
  [/ae|oe/, 'e'],
  [/(?<=...us)es$/, ''],
  [/(?<=...us)$/, 'es'],
  [/(?<=..)(?<=ly|the|no|ri)ses$/, 'sis'],
  [/(?<=...)sis$/, 'ses'],
]

const termOf = (word: string): string => wordTerms(word)[0]!

let irregular: Map<string, string[]> | undefined

function irregularTerms(): Map<string, string[]> {
  const groups = `${nouns},${verbs}`.split(',').map(group => group.split(' ').map(termOf))
  return new Map(groups.flatMap(group => group.map(term => [term, group])))
}

/** Straße and Strasse, cœur and coeur. Which one is meant by two letters cannot be known: Fußballschluss. */
const ligatures = [
  ['ß', 'ss'],
  ['œ', 'oe'],
  ['æ', 'ae'],
]
/** Each one doubles the number of forms. */
const maxLigatures = 3

function withLigatures(word: string): string[] {
  const parts = word.split(/(ß|ss|œ|oe|æ|ae)/)
  if (parts.length === 1 || parts.length > 2 * maxLigatures + 1) return []
  return parts.reduce(
    (forms, part) => {
      const either = ligatures.find(pair => pair.includes(part)) ?? [part]
      return forms.flatMap(form => either.map(each => form + each))
    },
    [''],
  )
}

const asciiWord = /^[a-z]{3,}$/

/** The terms of the other forms of a word without punctuation: those of wrote and written for "writing". */
export function otherForms(word: string): Set<string> {
  const lower = word.toLowerCase()
  const forms = new Set(withLigatures(lower).flatMap(wordTerms))
  if (!asciiWord.test(lower)) return forms
  irregular ??= irregularTerms()
  for (const form of irregular.get(termOf(lower)) ?? []) forms.add(form)
  for (const [pattern, other] of spellings)
    if (pattern.test(lower)) forms.add(termOf(lower.replace(pattern, other)))
  return forms
}
