/** Languages for which the character frequencies are known well enough to judge a decoding. */
export type Language = 'simplified' | 'traditional' | 'japanese' | 'korean' | 'western' | 'cyrillic' | 'greek'

/** Rough base-10 logarithms of the probability of each kind of character in running text. */
const odds = {
  asciiText: -1.4,
  asciiMark: -2.2,
  mark: -2.5,
  frequent: -2.8,
  ordinary: -4,
  rare: -6.5,
  foreign: -7,
  impossible: -12,
}

const frequentSimplified =
  '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运'
const frequentTraditional =
  '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運'
const frequentJapanese =
  '日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住真有口少町料工建空急止送切転研足究楽起着店病質待試族銀早映親験英医仕去味写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢'
const frequentKorean =
  '이다는의에을가고를하지은로도한사기자리어나아시인서대그있게라일들스수해정전보제부원과장주없으성상구안만여세우경국했동선오공소거무생니와면것습간화제중적모당신마학연용조유실관위되요럼내때같말문물방분비산진체발데러였았차더년월'

/** Punctuation shared by Chinese, Japanese and Korean. */
const eastMarks = '，。、；：？！“”‘’（）《》〈〉「」『』【】〔〕—…·～　％－／'
const westMarks = '’‘“”–—…•«»·°€£§©®™\u00a0'
const westLetters = 'éèêëàâäáãåçñöôóòõøüûúùíìîïßæœÿýþð'

/** The common characters of a two-byte character set, which are contiguous ranges of lead bytes. */
const charactersOf = (encoding: string, leads: [number, number], trails: [number, number]): string => {
  const bytes: number[] = []
  for (let lead = leads[0]; lead <= leads[1]; lead++)
    for (let trail = trails[0]; trail <= trails[1]; trail++) if (trail !== 0x7f) bytes.push(lead, trail)
  return new TextDecoder(encoding).decode(Uint8Array.from(bytes)).replaceAll('\ufffd', '')
}

/** Characters of one probability, as texts and as ranges of codes. Later ones win. */
type Entry = [odds: number, ...characters: (string | [from: number, to: number])[]]

const inEveryLanguage: Entry[] = [
  [odds.impossible, [0, 0x1f], [0x7f, 0x9f], [0xe000, 0xf8ff], [0xfdd0, 0xfdef], [0xfff0, 0xffff]],
  [odds.asciiMark, '\t\n\r\f\u001b', [0x20, 0x7e]],
  [odds.asciiText, ' 0123456789', [0x41, 0x5a], [0x61, 0x7a]],
  [odds.rare, [0x4e00, 0x9fff]],
  [odds.ordinary, [0xd800, 0xdfff], [0xff10, 0xff5a]],
]

const entries: Record<Language, () => Entry[]> = {
  simplified: () => [
    [odds.ordinary, charactersOf('gb18030', [0xb0, 0xd7], [0xa1, 0xfe])],
    [odds.frequent, frequentSimplified],
    [odds.mark, eastMarks],
  ],
  traditional: () => [
    [odds.ordinary, charactersOf('big5', [0xa4, 0xc6], [0x40, 0xfe])],
    [odds.frequent, frequentTraditional],
    [odds.mark, eastMarks],
  ],
  japanese: () => [
    // Half-width katakana: any byte from A1 to DF is one in Shift_JIS, so they are weak evidence.
    [odds.ordinary, charactersOf('euc-jp', [0xb0, 0xcf], [0xa1, 0xfe]), [0xff61, 0xff9f]],
    [odds.frequent, frequentJapanese, [0x30a1, 0x30fc]],
    [odds.mark, [0x3041, 0x3093], eastMarks],
  ],
  korean: () => [
    [odds.ordinary, charactersOf('euc-kr', [0xb0, 0xc8], [0xa1, 0xfe])],
    [odds.mark, frequentKorean, eastMarks],
  ],
  western: () => [
    [odds.mark, westLetters],
    [odds.ordinary, westLetters.replace('ß', '').toUpperCase()],
    [odds.frequent, westMarks],
  ],
  cyrillic: () => [
    [-2.4, [0x430, 0x44f]],
    [-3.2, [0x410, 0x42f]],
    [-1.4, 'оеаинтсрвлкмдпуяыьзбг'],
    [odds.ordinary, 'ёЁіїєґІЇЄ№'],
    [odds.frequent, westMarks],
  ],
  greek: () => [
    [-3.2, [0x391, 0x3a9]],
    [-2, [0x3ac, 0x3ce]],
    [-1.4, 'αοιετσνηυρπκμλς'],
    [odds.frequent, westMarks],
  ],
}

export const everyLanguage = Object.keys(entries) as Language[]

const tables = new Map<Language, Float32Array>()

const tableOf = (language: Language): Float32Array => {
  const known = tables.get(language)
  if (known) return known
  const table = new Float32Array(0x1_0000).fill(odds.foreign)
  for (const [value, ...characters] of [...inEveryLanguage, ...entries[language]()])
    for (const some of characters)
      if (typeof some !== 'string') table.fill(value, some[0], some[1] + 1)
      else for (const character of some) table[character.charCodeAt(0)] = value
  tables.set(language, table)
  return table
}

export interface Likelihood {
  /** Logarithm for the whole text, comparable between decodings of the same bytes. */
  total: number
  /** Number of characters beyond ASCII, and their mean, which shows whether the text is plausible at all. */
  beyondAscii: number
  mean: number
}

const isAsciiLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

const isAlphabetic = (code: number): boolean => code >= 0x386 && code <= 0x44f
const isCapital = (code: number): boolean =>
  (code >= 0x391 && code <= 0x3a9) || (code >= 0x410 && code <= 0x42f)

/** Penalty for a character after the previous ones. */
const neighbourOdds = (language: Language, before: number, previous: number, code: number): number => {
  // In Western words, letters beyond ASCII occur alone or in pairs.
  if (language === 'western') return previous >= 0x80 && code >= 0x80 ? -2.5 : 0
  // One Chinese character inside a Latin word is a Western letter with the one after it: "gew鋒rt".
  if (language !== 'cyrillic' && language !== 'greek')
    return previous >= 0x80 && isAsciiLetter(before) && isAsciiLetter(code) ? -3 : 0
  // A word uses one script, and capitals are its first letter or all letters.
  if (isAlphabetic(code) ? isAsciiLetter(previous) : isAlphabetic(previous) && isAsciiLetter(code)) return -4
  return isCapital(code) && isAlphabetic(previous) && !isCapital(previous) ? -4 : 0
}

export const likelihood = (text: string, language: Language): Likelihood => {
  const table = tableOf(language)
  let total = 0
  let beyond = 0
  let beyondAscii = 0
  let before = 0
  let previous = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const value = (table[code] ?? odds.foreign) + neighbourOdds(language, before, previous, code)
    if (code >= 0x80) {
      beyond += value
      beyondAscii++
    }
    total += value
    before = previous
    previous = code
  }
  return { total, beyondAscii, mean: beyondAscii === 0 ? 0 : beyond / beyondAscii }
}

/** Letters of each Western language beyond ASCII. */
const alphabets =
  'äöüß àâæçéèêëîïôœùûüÿ áéíóúüñªº áâãàçéêíóôõúüªº àèéìíîòóùú åäöæøéü áðéíóúýþæö éèëïöüáíóúê àçéèíïòóúü'
    .split(' ')
    .map(letters => new Set(letters))

/** Punctuation allowed between two letters. */
const inWord = new Set('’‘·-')

const isLetter = (character: string | undefined): boolean =>
  character !== undefined && /[a-zß-öø-ÿœšž]/i.test(character)

/** Any bytes decode as windows-1252. Other encodings show letters that no single language combines. */
export const fitsWesternAlphabet = (text: string): boolean => {
  const beyondAscii = [...text.matchAll(/[^\u0000-\u007f]/g)]
  const isStray = ({ 0: character, index }: RegExpExecArray): boolean =>
    !inWord.has(character) && isLetter(text[index - 1]) && /[a-z]/i.test(text[index + 1] ?? '')
  const letters = beyondAscii.filter(([character]) => isLetter(character))
  const strays = beyondAscii.filter(found => !isLetter(found[0]) && isStray(found))
  if (strays.length * 50 > beyondAscii.length) return false
  return alphabets.some(alphabet => {
    const foreign = letters.filter(([letter]) => !alphabet.has(letter.toLowerCase()))
    return foreign.length * 50 <= letters.length
  })
}
