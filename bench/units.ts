export const perSecond = (count: number): string => `${Math.round(count).toLocaleString('en')}/s`

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`

export const microseconds = (value: number): string => `${Math.round(value * 1000)} µs`

export const megabytes = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(0)} MiB`

export const megabytesPerSecond = (bytes: number, seconds: number): string =>
  `${(bytes / (1 << 20) / seconds).toFixed(0)} MiB/s`

export const charactersPerSecond = (count: number): string =>
  `${Math.round(count / 1000).toLocaleString('en')} kchar/s`

export const share = (part: number): string => `${(part * 100).toFixed(1)} %`
