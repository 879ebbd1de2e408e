import Icon from '@ant-design/icons'
import type { ReactNode } from 'react'

/** Icons that Ant Design does not have, or draws so that they read as something else. */
const icon = (drawing: ReactNode) => {
  const Drawing = () => (
    <svg viewBox="0 0 24 24" width="1em" height="1em" fill="none" stroke="currentColor" aria-hidden="true">
      <g strokeWidth="2" strokeLinecap="round" strokeLinejoin="round">
        {drawing}
      </g>
    </svg>
  )
  return () => <Icon component={Drawing} aria-hidden />
}

export const KeyIcon = icon(
  <>
    <circle cx="7.5" cy="15.5" r="4.5" />
    <path d="M10.7 12.3 20 3M15.5 7.5l3 3M18 5l2.5 2.5" />
  </>,
)

export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4" />
  </>,
)

export const MoonIcon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z" />)
