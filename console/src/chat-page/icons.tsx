import type { ReactNode, Ref } from 'react'

const icon = (paths: ReactNode) => (
  <svg viewBox="0 0 24 24" className="icon" aria-hidden="true">
    {paths}
  </svg>
)

export const icons = {
  add: icon(<path d="M12 5v14M5 12h14" />),
  attach: icon(
    <path d="m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 4.8 4.8l-8.3 8.3a1.8 1.8 0 0 1-2.5-2.5L15 6.7" />,
  ),
  close: icon(<path d="m6 6 12 12M18 6 6 18" />),
  copy: icon(<path d="M9 9h11v11H9zM5 15H4V4h11v1" />),
  done: icon(<path d="m5 12 5 5L20 7" />),
  down: icon(<path d="M12 5v14m-6-6 6 6 6-6" />),
  edit: icon(<path d="m4 20 4-1L19 8l-3-3L5 16zM14 7l3 3" />),
  file: icon(<path d="M6 3h8l4 4v14H6zM14 3v4h4" />),
  history: icon(<path d="M4 6v4h4M4.5 10a8 8 0 1 1-.5 4M12 8v4l3 2" />),
  like: icon(
    <path d="M7 11v9H4v-9zm0 0 4-8c2 0 2.5 1.5 2 3l-.8 3H19a1.8 1.8 0 0 1 1.8 2.2l-1.3 7A2 2 0 0 1 17.6 20H7" />,
  ),
  dislike: icon(
    <path d="M7 13V4H4v9zm0 0 4 8c2 0 2.5-1.5 2-3l-.8-3H19a1.8 1.8 0 0 0 1.8-2.2l-1.3-7A2 2 0 0 0 17.6 4H7" />,
  ),
  microphone: icon(
    <path d="M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM5 11a7 7 0 0 0 14 0M12 18v3" />,
  ),
  moon: icon(<path d="M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z" />),
  again: icon(<path d="M20 6v4h-4M19.5 10a8 8 0 1 0 .5 4" />),
  remove: icon(<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13" />),
  send: icon(<path d="M12 19V5m-6 6 6-6 6 6" />),
  stop: icon(<rect x="7" y="7" width="10" height="10" rx="1.5" fill="currentColor" />),
  sun: icon(
    <>
      <circle cx="12" cy="12" r="4" />
      <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4" />
    </>,
  ),
}

interface IconButtonProps {
  ref?: Ref<HTMLButtonElement>
  icon: ReactNode
  label: string
  onClick: () => void
  isPressed?: boolean
  isDisabled?: boolean
}

export const IconButton = ({ ref, icon, label, onClick, isPressed, isDisabled }: IconButtonProps) => (
  <button
    ref={ref}
    type="button"
    className="icon-button"
    aria-label={label}
    title={label}
    disabled={isDisabled}
    {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
    onClick={onClick}
  >
    {icon}
  </button>
)
