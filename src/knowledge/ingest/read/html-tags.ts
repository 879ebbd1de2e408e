const inline =
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img input ins kbd label mark meter nobr output picture ' +
  'progress q ruby rb rt rtc rp s samp small source span strike strong sub sup time tt u var wbr'
const block =
  'address article aside base blockquote body br button canvas caption center col colgroup dd details dialog dir div dl dt ' +
  'embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend ' +
  'li link main map math menu meta nav noframes noscript object ol optgroup option p param pre script search section select ' +
  'slot style summary svg table tbody td template textarea tfoot th thead title tr track ul video audio'

export const inlineTags = new Set(inline.split(' '))
/** Tags that part the text before them from the text after them. */
export const blockTags = new Set(block.split(' '))
/** Tags that have no end tag. */
export const voidTags = new Set(
  'area base basefont br col embed frame hr img input link meta param source track wbr'.split(' '),
)
