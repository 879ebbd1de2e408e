/** The formats of Office before 2007. */
export type LegacyFormat = 'doc' | 'xls' | 'ppt'

/** Converts a file to the current format of the same program; `undefined` where no converter is installed. */
export type ConvertLegacy = (bytes: Uint8Array, from: LegacyFormat) => Promise<Uint8Array | undefined>
