/** The package describes its converters, but not the dictionaries it is made of. */
declare module 'opencc-js/dict/TSCharacters' {
  const pairs: string
  export default pairs
}
