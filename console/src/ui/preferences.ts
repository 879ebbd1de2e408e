import { useSyncExternalStore } from 'react'

export type Language = 'en' | 'zh'
export type Theme = 'light' | 'dark' | 'system'

const listeners = new Set<() => void>()
const read = <Value extends string>(key: string, allowed: readonly Value[], otherwise: Value): Value => {
  const kept = localStorage.getItem(key) as Value | null
  return kept !== null && allowed.includes(kept) ? kept : otherwise
}

let language = read<Language>(
  'banyan.language',
  ['en', 'zh'],
  navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en',
)
let theme = read<Theme>('banyan.theme', ['light', 'dark', 'system'], 'system')

const changed = (): void => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const currentLanguage = (): Language => language

export function setLanguage(next: Language): void {
  language = next
  localStorage.setItem('banyan.language', next)
  changed()
}

export function setTheme(next: Theme): void {
  theme = next
  localStorage.setItem('banyan.theme', next)
  changed()
}

const darkSystem = window.matchMedia('(prefers-color-scheme: dark)')
darkSystem.addEventListener('change', changed)
const reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)')
reducedMotion.addEventListener('change', changed)

export const useLanguage = (): Language => useSyncExternalStore(subscribe, () => language)
export const useTheme = (): Theme => useSyncExternalStore(subscribe, () => theme)
/** Whether the dark theme is shown, by choice or by system preference. */
export const useIsDark = (): boolean =>
  useSyncExternalStore(subscribe, () => theme === 'dark' || (theme === 'system' && darkSystem.matches))
/** Whether the system is set to reduce animations. */
export const useReducedMotion = (): boolean => useSyncExternalStore(subscribe, () => reducedMotion.matches)
